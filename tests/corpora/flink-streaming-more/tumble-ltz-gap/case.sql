-- windows of half an hour over the hour that the clock skips
-- compare: changelog
-- key: k

SET 'table.local-time-zone' = 'America/New_York';
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP_LTZ(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, window_start, window_end, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '30' MINUTE))
GROUP BY k, window_start, window_end;

-- HOP over the hour that the clock repeats
-- compare: changelog

SET 'table.local-time-zone' = 'America/New_York';
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP_LTZ(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, window_end, COUNT(*) AS n
FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR))
GROUP BY window_start, window_end;

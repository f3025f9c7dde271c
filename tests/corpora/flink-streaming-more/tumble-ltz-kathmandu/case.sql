-- windows of TIMESTAMP_LTZ in Asia/Kathmandu
-- compare: changelog

SET 'table.local-time-zone' = 'Asia/Kathmandu';
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP_LTZ(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' HOUR
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, window_end, COUNT(*) AS n, COUNT(DISTINCT k) AS d
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR))
GROUP BY window_start, window_end;

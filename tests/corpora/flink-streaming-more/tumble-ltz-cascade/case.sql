-- windows over windows of TIMESTAMP_LTZ
-- compare: changelog

SET 'table.local-time-zone' = 'America/New_York';
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP_LTZ(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

CREATE VIEW w1 AS SELECT k, window_time AS rt, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '30' MINUTE))
GROUP BY k, window_start, window_end, window_time;

SELECT window_start, window_end, SUM(n) AS n, COUNT(*) AS w
FROM TABLE(TUMBLE(TABLE w1, DESCRIPTOR(rt), INTERVAL '3' HOUR))
GROUP BY window_start, window_end;

-- a window of sums over windows
-- compare: changelog

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

CREATE VIEW w1 AS SELECT k, window_time AS rt, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '4' SECOND))
GROUP BY k, window_start, window_end, window_time;

SELECT window_start, window_end, SUM(n) AS n, COUNT(*) AS g
FROM TABLE(TUMBLE(TABLE w1, DESCRIPTOR(rt), INTERVAL '20' SECOND))
GROUP BY window_start, window_end;

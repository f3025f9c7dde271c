-- a window over a filtered projection
-- compare: changelog
-- key: g

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

CREATE VIEW small AS SELECT COALESCE(k, 'none') AS g, x * 2 AS y, ts FROM e WHERE v IS NOT NULL;

SELECT g, window_start, window_time, COUNT(*) AS n, MAX(y) AS m
FROM TABLE(TUMBLE(TABLE small, DESCRIPTOR(ts), INTERVAL '6' SECOND))
GROUP BY g, window_start, window_end, window_time;

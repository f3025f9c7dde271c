-- FILTER and DISTINCT in a window
-- compare: changelog
-- key: k

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, window_end, COUNT(*) FILTER (WHERE v > 5) AS a, COUNT(DISTINCT v) AS b, SUM(DISTINCT v) FILTER (WHERE x > 0) AS s
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY k, window_start, window_end;

-- TUMBLE without another key, many aggregates
-- compare: changelog

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, window_end, COUNT(*) AS n, SUM(v) AS s, AVG(d) AS a, MIN(x) AS m, MAX(k) AS k, COUNT(DISTINCT k) AS nk
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND))
GROUP BY window_start, window_end;

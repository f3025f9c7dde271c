-- AVG and SUM of DECIMAL per key, insert-only
-- compare: changelog
-- key: k

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, AVG(d) AS ad, SUM(d) AS sd, MIN(d) AS d1, SUM(x) AS sx, COUNT(v) AS n
FROM e
GROUP BY k;

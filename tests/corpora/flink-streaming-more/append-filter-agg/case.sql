-- FILTER and DISTINCT, insert-only
-- compare: changelog
-- key: k

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, COUNT(*) FILTER (WHERE v > 10) AS a, COUNT(DISTINCT v) FILTER (WHERE x > 0) AS b, SUM(v) FILTER (WHERE k IS NULL) AS c1
FROM e
GROUP BY k;

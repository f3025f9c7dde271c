-- a filter whose condition is NULL counts nothing
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(*) FILTER (WHERE f) AS a, SUM(v) FILTER (WHERE v > 10 OR f) AS b, MIN(v) FILTER (WHERE x < 0) AS m, COUNT(*) AS n
FROM c
GROUP BY k;

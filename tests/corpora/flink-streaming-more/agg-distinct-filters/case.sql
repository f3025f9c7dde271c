-- one column DISTINCT under several filters
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(DISTINCT v) FILTER (WHERE f) AS a, COUNT(DISTINCT v) FILTER (WHERE NOT f) AS b, COUNT(DISTINCT v) AS n, SUM(DISTINCT v) FILTER (WHERE x > 0) AS s
FROM c
GROUP BY k;

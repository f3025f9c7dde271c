-- DISTINCT in COUNT, SUM, AVG, MIN of several columns
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(DISTINCT v) AS nv, SUM(DISTINCT v) AS sv, AVG(DISTINCT d) AS ad, COUNT(DISTINCT s) AS ns, MIN(DISTINCT v) AS mv
FROM c
GROUP BY k;

-- MAX and SUM over counts that change
-- compare: changelog

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT MAX(n) AS m, SUM(n) AS s, COUNT(*) AS g, MIN(t) AS t1
FROM (SELECT k, COUNT(*) AS n, SUM(v) AS t FROM c GROUP BY k);

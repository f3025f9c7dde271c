-- COUNT DISTINCT over sums that change
-- compare: changelog
-- key: p

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT MOD(n, 2) AS p, COUNT(DISTINCT s) AS ds, SUM(n) AS sn
FROM (SELECT s, COUNT(*) AS n FROM c GROUP BY s)
GROUP BY MOD(n, 2);

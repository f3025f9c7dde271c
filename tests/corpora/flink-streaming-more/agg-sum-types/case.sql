-- SUM and AVG of DECIMAL and DOUBLE over updates; the double sums keep what subtraction leaves
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, SUM(d) AS sd, AVG(d) AS ad, SUM(x) AS sx, AVG(x) AS ax, COUNT(d) AS nd
FROM c
GROUP BY k;

-- a filter before the aggregate: updates move rows in and out
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(*) AS n, SUM(v) AS s, MAX(s) AS m
FROM c
WHERE v > 5 AND (f OR x < 0)
GROUP BY k;

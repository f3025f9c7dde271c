-- SUM, AVG, MIN and MAX of FLOAT and BIGINT
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, SUM(CAST(x AS FLOAT)) AS a, AVG(CAST(x AS FLOAT)) AS b, MAX(CAST(x AS FLOAT)) AS m, SUM(CAST(v AS BIGINT)) AS c1, AVG(CAST(v AS BIGINT)) AS d1
FROM c
GROUP BY k;

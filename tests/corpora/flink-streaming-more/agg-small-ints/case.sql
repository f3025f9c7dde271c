-- SUM and AVG of TINYINT and SMALLINT keep their type
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, SUM(CAST(v AS TINYINT)) AS a, AVG(CAST(v AS TINYINT)) AS b, SUM(CAST(v AS SMALLINT)) AS c1, AVG(CAST(v AS SMALLINT)) AS d1, MIN(CAST(v AS TINYINT)) AS e1
FROM c
GROUP BY k;

-- a view and a CTE under an aggregate
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

CREATE VIEW pos AS SELECT id, k, v FROM c WHERE v > 0;

WITH big AS (SELECT k, v FROM pos WHERE v > 8), tot AS (SELECT k, SUM(v) AS s, COUNT(*) AS n FROM big GROUP BY k)
SELECT k, s, n FROM tot WHERE n > 1;

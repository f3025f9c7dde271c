-- three aggregates one on another
-- compare: changelog

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT COUNT(*) AS n, SUM(m) AS sm
FROM (SELECT f, MAX(n) AS m FROM (SELECT k, f, COUNT(*) AS n FROM c GROUP BY k, f) GROUP BY f);

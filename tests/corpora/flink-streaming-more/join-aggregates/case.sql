-- two aggregates joined
-- compare: result

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

CREATE TABLE w (
    id INT, k STRING, w INT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/w.ndjson',
        'format' = 'debezium-json');

SELECT a.g, a.n, b.m FROM (SELECT MOD(id, 3) AS g, COUNT(*) AS n FROM c GROUP BY MOD(id, 3)) AS a JOIN (SELECT MOD(id, 3) AS g, MAX(w) AS m FROM w GROUP BY MOD(id, 3)) AS b ON a.g = b.g;

-- an aggregate without GROUP BY over many types
-- compare: changelog

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT COUNT(*) AS n, SUM(d) AS sd, MIN(s) AS s1, MAX(t) AS t2, COUNT(DISTINCT k) AS nk, AVG(v) AS av
FROM c;

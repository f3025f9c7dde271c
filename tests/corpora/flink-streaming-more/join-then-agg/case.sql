-- an aggregate over a join
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

SELECT w.k, COUNT(*) AS n, SUM(c.v) AS s, COUNT(DISTINCT c.s) AS ds FROM c JOIN w ON c.id = w.id GROUP BY w.k;

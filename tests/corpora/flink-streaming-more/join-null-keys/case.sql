-- NULL keys match nothing; IS NOT DISTINCT FROM matches them
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

SELECT c.id, d.id AS did FROM c JOIN (SELECT * FROM c WHERE MOD(id, 2) = 0) AS d ON c.s = d.s AND c.k IS NOT DISTINCT FROM d.k;

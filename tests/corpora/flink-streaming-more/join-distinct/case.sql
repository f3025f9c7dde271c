-- a join with distinct rows
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

SELECT c.id, u.w FROM c JOIN (SELECT DISTINCT w FROM w) AS u ON MOD(ABS(c.v), 7) = u.w;

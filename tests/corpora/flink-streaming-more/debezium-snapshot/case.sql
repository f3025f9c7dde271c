-- rows of a snapshot have the op r
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(*) AS n, SUM(v) AS s FROM c GROUP BY k;

-- no primary key: rows that are equal
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, SUM(v) AS s, COUNT(*) AS n FROM c GROUP BY k;

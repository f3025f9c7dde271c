-- HAVING on COUNT DISTINCT
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(*) AS n
FROM c
GROUP BY k
HAVING COUNT(DISTINCT s) >= 3;

-- HAVING on an aggregate that is not selected
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, SUM(v) AS s
FROM c
GROUP BY k
HAVING COUNT(*) > 2 AND MIN(v) < 0;

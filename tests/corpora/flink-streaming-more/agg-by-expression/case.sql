-- groups by expressions of the row
-- compare: changelog
-- key: g, u

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT MOD(id, 3) AS g, UPPER(s) AS u, COUNT(*) AS n, MAX(v) AS m
FROM c
GROUP BY MOD(id, 3), UPPER(s);

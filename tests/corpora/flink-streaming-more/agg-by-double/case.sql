-- groups by DOUBLE
-- compare: changelog
-- key: r

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT ROUND(x, 0) AS r, COUNT(*) AS n FROM c GROUP BY ROUND(x, 0);

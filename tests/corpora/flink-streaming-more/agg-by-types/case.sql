-- groups by BOOLEAN, DATE and DECIMAL, NULL in each
-- compare: changelog
-- key: f, day_

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT f, CAST(t AS DATE) AS day_, COUNT(*) AS n, SUM(v) AS s
FROM c
GROUP BY f, CAST(t AS DATE);

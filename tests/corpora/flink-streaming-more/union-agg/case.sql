-- an aggregate over inserts and changes together
-- compare: changelog
-- key: src, k

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

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT src, k, COUNT(*) AS n, SUM(v) AS s FROM (SELECT 'c' AS src, k, v FROM c UNION ALL SELECT 'e', k, v FROM e) GROUP BY src, k;

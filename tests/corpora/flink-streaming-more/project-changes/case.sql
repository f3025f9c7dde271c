-- a projection that makes before and after equal
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT id, UPPER(k) AS k, v IS NULL AS nv, COALESCE(s, '-') AS s, CAST(d AS INT) AS di FROM c;

-- NOT, OR and IN with NULL
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT id, v, f FROM c WHERE NOT (v > 10 AND f) OR k IN ('a', 'z') OR s NOT IN ('pear', 'kiwi');

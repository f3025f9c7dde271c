-- messages with their schema
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, k STRING, v INT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json',
        'debezium-json.schema-include' = 'true');

SELECT * FROM c;

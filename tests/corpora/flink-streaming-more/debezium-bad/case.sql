-- messages that cannot be read are skipped
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, k STRING, v INT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json',
        'debezium-json.ignore-parse-errors' = 'true');

SELECT * FROM c;

-- fields that are not columns, columns that are not there
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, k STRING, v INT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT * FROM c;

-- timestamps in ISO-8601
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, t TIMESTAMP(3), z TIMESTAMP_LTZ(3)
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json',
        'debezium-json.timestamp-format.standard' = 'ISO-8601');

SELECT id, t, z FROM c;

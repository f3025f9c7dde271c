-- changes of nested values
-- compare: changelog
-- key: id

CREATE TABLE c (
    id INT, r ROW<a INT, l ARRAY<INT>>,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT id, r, c.r.a AS ra FROM c;

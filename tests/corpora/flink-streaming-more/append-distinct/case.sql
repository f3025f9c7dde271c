-- SELECT DISTINCT on an insert-only source
-- compare: changelog
-- key: k, m

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT DISTINCT k, MOD(v, 3) AS m FROM e;

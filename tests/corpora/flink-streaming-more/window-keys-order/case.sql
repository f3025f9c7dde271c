-- window columns between the keys, named anew
-- compare: changelog
-- key: p

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_end AS we, MOD(id, 2) AS p, window_start AS ws, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '8' SECOND))
GROUP BY MOD(id, 2), window_end, window_start;

-- windows on TIMESTAMP(6)
-- compare: changelog
-- note: a rowtime of more than milliseconds is refused

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(6),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, COUNT(*) AS n, MAX(ts) AS m
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND))
GROUP BY window_start, window_end;

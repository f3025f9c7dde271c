-- HOP before 1970
-- compare: changelog

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, window_end, COUNT(*) AS n
FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '4' SECOND, INTERVAL '8' SECOND))
GROUP BY window_start, window_end;

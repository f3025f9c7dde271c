-- HOP with late rows
-- compare: changelog
-- key: k

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, window_start, window_end, COUNT(*) AS n, SUM(d) AS s
FROM TABLE(HOP(TABLE e, DESCRIPTOR(ts), INTERVAL '3' SECOND, INTERVAL '9' SECOND))
GROUP BY k, window_start, window_end;

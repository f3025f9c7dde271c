-- TUMBLE with a watermark equal to the time
-- compare: changelog
-- key: k

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '0' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, window_start, COUNT(*) AS n, SUM(v) AS s
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '4' SECOND))
GROUP BY k, window_start, window_end;

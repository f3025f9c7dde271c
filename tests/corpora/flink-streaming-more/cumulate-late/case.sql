-- CUMULATE with late rows and DISTINCT
-- compare: changelog
-- key: k

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT k, window_start, window_end, COUNT(*) AS n, COUNT(DISTINCT v) AS dv
FROM TABLE(CUMULATE(TABLE e, DESCRIPTOR(ts), INTERVAL '4' SECOND, INTERVAL '12' SECOND))
GROUP BY k, window_start, window_end;

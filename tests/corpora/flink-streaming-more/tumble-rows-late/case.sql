-- window columns without an aggregate, late rows kept
-- compare: changelog

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT id, window_start, window_end, window_time FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '3' SECOND)) WHERE v > 3;

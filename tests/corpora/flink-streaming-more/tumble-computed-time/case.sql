-- the time attribute is computed from milliseconds
-- compare: changelog

CREATE TABLE e (
    id INT, ms BIGINT, rt AS TO_TIMESTAMP_LTZ(ms, 3),
    WATERMARK FOR rt AS rt - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, window_end, COUNT(*) AS n, MAX(id) AS m
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(rt), INTERVAL '5' SECOND))
GROUP BY window_start, window_end;

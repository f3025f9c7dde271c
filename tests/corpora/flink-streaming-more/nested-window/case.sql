-- a window keeps nested values
-- compare: changelog

CREATE TABLE n (
    id INT, r ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, m MAP<STRING, INT>,
    l ARRAY<ROW<p INT, q STRING>>, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/n.ndjson',
        'format' = 'json');

SELECT window_start, COUNT(*) AS n, COUNT(DISTINCT r.a) AS da, MAX(r.b.c) AS mc FROM TABLE(TUMBLE(TABLE n, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end;

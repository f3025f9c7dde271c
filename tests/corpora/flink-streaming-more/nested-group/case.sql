-- groups by a nested field
-- compare: changelog
-- key: c

CREATE TABLE n (
    id INT, r ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, m MAP<STRING, INT>,
    l ARRAY<ROW<p INT, q STRING>>, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/n.ndjson',
        'format' = 'json');

SELECT r.b.c AS c, COUNT(*) AS n, MAX(m['k']) AS mk, SUM(r.a) AS s FROM n GROUP BY r.b.c;

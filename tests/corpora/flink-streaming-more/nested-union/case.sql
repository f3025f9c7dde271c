-- nested values through UNION ALL
-- compare: multiset

CREATE TABLE n (
    id INT, r ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, m MAP<STRING, INT>,
    l ARRAY<ROW<p INT, q STRING>>, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/n.ndjson',
        'format' = 'json');

SELECT id, r FROM n WHERE id < 3 UNION ALL SELECT id, r FROM n WHERE id > 3;

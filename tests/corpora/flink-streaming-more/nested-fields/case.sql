-- fields, elements and entries of nested values
-- compare: changelog

CREATE TABLE n (
    id INT, r ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, m MAP<STRING, INT>,
    l ARRAY<ROW<p INT, q STRING>>, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/n.ndjson',
        'format' = 'json');

SELECT id, n.r.a, n.r.b.c, r.b.d[1] AS d1, r.b.d[3] AS d3, m['k'] AS mk, m['no'] AS mno, l[1].q AS q1, CARDINALITY(l) AS cl, CARDINALITY(m) AS cm FROM n;

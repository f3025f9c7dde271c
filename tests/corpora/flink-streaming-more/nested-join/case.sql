-- a join on nested fields keeps nested values
-- compare: result

CREATE TABLE n (
    id INT, r ROW<a INT, b ROW<c STRING, d ARRAY<INT>>>, m MAP<STRING, INT>,
    l ARRAY<ROW<p INT, q STRING>>, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/n.ndjson',
        'format' = 'json');

SELECT a.id, b.id AS bid, b.r, a.l FROM n AS a JOIN n AS b ON a.r.a = b.r.a AND a.m['k'] = b.m['k'];

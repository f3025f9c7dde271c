-- computed columns one on another
-- compare: changelog

CREATE TABLE j (
    a INT, c AS a * 2, b STRING, e AS UPPER(b) || '!'
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/j.ndjson',
        'format' = 'json');

SELECT * FROM j;

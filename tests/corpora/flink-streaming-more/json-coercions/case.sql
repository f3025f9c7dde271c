-- numbers as text, text as numbers, booleans as text
-- compare: changelog

CREATE TABLE j (
    i INT, b BOOLEAN, s STRING, d DOUBLE, n DECIMAL(8, 2)
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/j.ndjson',
        'format' = 'json');

SELECT i, b, s, d, n FROM j;

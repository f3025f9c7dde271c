-- fields that cannot be read are NULL, lines that cannot be read are skipped
-- compare: changelog

CREATE TABLE j (
    i INT, s STRING
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/j.ndjson',
        'format' = 'json',
        'json.ignore-parse-errors' = 'true');

SELECT i, s FROM j;

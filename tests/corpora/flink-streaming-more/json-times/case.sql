-- dates, times and timestamps as text
-- compare: changelog

CREATE TABLE j (
    d DATE, t TIME, ts TIMESTAMP(3), z TIMESTAMP_LTZ(6)
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/j.ndjson',
        'format' = 'json');

SELECT d, t, ts, z FROM j;

-- COUNT of one column, of a constant and of NULL
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, COUNT(v) AS a, COUNT(1) AS b, COUNT(CAST(NULL AS INT)) AS c1, COUNT(DISTINCT k) AS d1
FROM c
GROUP BY k;

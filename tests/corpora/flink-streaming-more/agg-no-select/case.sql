-- keys that are not selected: equal rows of several groups
-- compare: multiset

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT COUNT(*) AS n, MAX(f) AS f
FROM (SELECT k, CASE WHEN f THEN 1 ELSE 0 END AS f FROM c)
GROUP BY k;

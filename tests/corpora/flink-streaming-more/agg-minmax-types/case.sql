-- MIN and MAX of STRING, TIMESTAMP, DECIMAL and DOUBLE over updates
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, MIN(s) AS s1, MAX(s) AS s2, MIN(t) AS t1, MAX(t) AS t2, MIN(d) AS d1, MAX(x) AS x2
FROM c
GROUP BY k;

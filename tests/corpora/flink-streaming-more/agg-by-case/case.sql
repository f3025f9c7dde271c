-- groups by a CASE, aggregates of a CASE
-- compare: changelog
-- key: g

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT CASE WHEN v > 20 THEN 'high' WHEN v > 0 THEN 'low' ELSE 'none' END AS g, SUM(CASE WHEN f THEN 1 ELSE 0 END) AS n, AVG(COALESCE(v, 0)) AS a
FROM c
GROUP BY CASE WHEN v > 20 THEN 'high' WHEN v > 0 THEN 'low' ELSE 'none' END;

-- VAR_POP and STDDEV_SAMP of INT and DECIMAL
-- compare: changelog
-- key: k

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

SELECT k, VAR_POP(v) AS vp, STDDEV_SAMP(v) AS ss, VAR_SAMP(d) AS vd
FROM c
GROUP BY k;

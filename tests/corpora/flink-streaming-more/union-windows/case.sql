-- a window over two streams
-- compare: none
-- note: Flink's plan loses the second input: a window function over (SELECT ... UNION ALL SELECT ...) reads the first alone.

CREATE TABLE c (
    id INT, k STRING, v INT, d DECIMAL(8, 2), x DOUBLE, s STRING, t TIMESTAMP(3), f BOOLEAN,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/c.ndjson',
        'format' = 'debezium-json');

CREATE TABLE w (
    id INT, k STRING, w INT,
    PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/w.ndjson',
        'format' = 'debezium-json');

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP(3),
    WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT window_start, COUNT(*) AS n, SUM(v) AS s FROM TABLE(TUMBLE((SELECT ts, v FROM e WHERE id < 20 UNION ALL SELECT ts, v * 100 FROM e WHERE id >= 20), DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end;

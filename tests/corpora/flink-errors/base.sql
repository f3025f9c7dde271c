CREATE TABLE t (id INT, k STRING, v DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'datagen', 'number-of-rows' = '5');
CREATE TABLE n (id INT, ts STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '5');
CREATE TABLE snk (id INT NOT NULL, k STRING) WITH ('connector' = 'blackhole');
CREATE TABLE app (k STRING, n BIGINT) WITH ('connector' = 'filesystem', 'path' = 'file:///nowhere/x', 'format' = 'json');

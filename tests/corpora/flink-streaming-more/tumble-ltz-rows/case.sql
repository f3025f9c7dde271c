-- window columns of TIMESTAMP_LTZ rows: start and end are local, window_time is a moment
-- compare: changelog

SET 'table.local-time-zone' = 'America/New_York';
SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE';

CREATE TABLE e (
    id INT, k STRING, v INT, d DECIMAL(6, 2), x DOUBLE, ts TIMESTAMP_LTZ(3),
    WATERMARK FOR ts AS ts - INTERVAL '5' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '${DIR}/e.ndjson',
        'format' = 'json');

SELECT id, ts, window_start, window_end, window_time FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR));

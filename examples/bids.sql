-- An auction house: one stream of events, two Iceberg tables, both committed exactly once.
--   frazil run examples/bids.sql        (Ctrl-C stops it at a checkpoint; run it again to go on)
SET 'pipeline.name' = 'bids';
SET 'execution.checkpointing.interval' = '2 s';

CREATE TABLE events (
  event_type INT,
  person ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING,
             `dateTime` TIMESTAMP(3), extra STRING>,
  auction ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
              `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING>,
  bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
          `dateTime` TIMESTAMP(3), extra STRING>,
  ts AS CASE event_type WHEN 0 THEN person.`dateTime` WHEN 1 THEN auction.`dateTime` ELSE bid.`dateTime` END,
  WATERMARK FOR ts AS ts - INTERVAL '4' SECOND
) WITH ('connector' = 'nexmark', 'events.num' = '1500000', 'first-event.rate' = '100000', 'next-event.rate' = '100000', 'rate.limited' = 'true');

CREATE VIEW bids AS
  SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, ts FROM events WHERE event_type = 2;

CREATE TABLE raw_bids (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, ts TIMESTAMP(3))
  PARTITIONED BY (day(ts), bucket(4, bidder));

CREATE TABLE per_second (window_start TIMESTAMP(3), channel STRING, bids BIGINT, bidders BIGINT, revenue BIGINT);

EXECUTE STATEMENT SET BEGIN
  INSERT INTO raw_bids SELECT * FROM bids;
  INSERT INTO per_second
    SELECT window_start, channel, COUNT(*), COUNT(DISTINCT bidder), SUM(price)
    FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts), INTERVAL '1' SECOND))
    GROUP BY window_start, window_end, channel;
END;

-- MIN and MAX with NaN and infinity
-- compare: none
-- note: Over inserts alone Flink compares as Java does: NaN never replaces and is never replaced, so that the answer depends on the order; under retractions it is the greatest, as here always.


SELECT MIN(d) AS a, MAX(d) AS b, SUM(d) AS s FROM (VALUES (1e0), (CAST('NaN' AS DOUBLE)), (2e0), (CAST('Infinity' AS DOUBLE))) AS t (d);

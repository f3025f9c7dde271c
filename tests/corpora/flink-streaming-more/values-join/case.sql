-- VALUES joined with VALUES
-- compare: result


SELECT a.k, b.w FROM (VALUES ('a', 1), ('b', 2), (CAST(NULL AS STRING), 3)) AS a (k, v) JOIN (VALUES ('a', 'x'), ('a', 'y'), ('c', 'z')) AS b (k, w) ON a.k = b.k;

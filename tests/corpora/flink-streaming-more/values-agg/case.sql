-- an aggregate over VALUES on a stream
-- compare: changelog
-- key: k


SELECT k, SUM(v) AS s, COUNT(*) AS n FROM (VALUES ('a', 1), ('b', 2), ('a', 3), ('a', CAST(NULL AS INT))) AS t (k, v) GROUP BY k;

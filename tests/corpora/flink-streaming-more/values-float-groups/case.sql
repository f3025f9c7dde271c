-- groups by doubles: 0, -0 and NaN
-- compare: multiset


SELECT d, COUNT(*) AS n FROM (VALUES (0e0), (-0e0), (0e0), (CAST('NaN' AS DOUBLE)), (CAST('NaN' AS DOUBLE))) AS t (d) GROUP BY d;

# SPDX-License-Identifier: Apache-2.0
"""Files for bench/parquet.py, made by DuckDB from fixed seeds.

lineitem    TPC-H's table by the rules of its specification (4.2.3), about four lines an order;
            comments are cut out of a pool of random text as dbgen cuts them
weblog      requests to a shop: time, address, method, path, status, bytes, referrer, agent, seconds
"""
import random

NOUNS = ("foxes ideas theodolites pinto beans instructions dependencies excuses platelets asymptotes courts "
         "dolphins multipliers sauternes warthogs frets dinos attainments somas braids hockey players "
         "requests accounts packages deposits").split()
VERBS = ("sleep wake are cajole haggle nag use boost affix detect integrate maintain nod was lose sublate "
         "solve thrash promise engage hinder print x-ray breach eat grow impress mold poach").split()
OTHERS = ("furious sly careful blithe quick fluffy slow quiet ruthless thin close dogged daring brave stealthy "
          "permanent enticing idle busy regular final ironic even bold silent about above according to "
          "across after against along alongside of among around at atop before behind sometimes always "
          "never furiously slyly carefully blithely quickly fluffily").split()

LINEITEM = """
CREATE OR REPLACE MACRO rnd(a, b, n) AS (hash(a * 1000003 + b * 7919 + n * 104729) % 1000000007)::BIGINT;
CREATE OR REPLACE TABLE lineitem AS
WITH lines AS (
    SELECT o, l, (o // 8) * 32 + o % 8 + 1 AS okey, 1 + rnd(o, l, 1) % {parts} AS pkey,
           1 + rnd(o, l, 2) % 50 AS qty, DATE '1992-01-01' + (rnd(o, 0, 3) % 2406)::INT AS odate
    FROM range({orders}) AS t(o), range(7) AS u(l) WHERE l <= rnd(o, 0, 4) % 7),
dated AS (
    SELECT *, odate + (1 + rnd(o, l, 5) % 121)::INT AS ship, odate + (30 + rnd(o, l, 6) % 61)::INT AS commit_day
    FROM lines),
all_dates AS (SELECT *, ship + (1 + rnd(o, l, 7) % 30)::INT AS receipt FROM dated)
SELECT okey AS l_orderkey, pkey AS l_partkey, 1 + (pkey + l * 2503) % {suppliers} AS l_suppkey,
    (l + 1)::INT AS l_linenumber, qty::DECIMAL(15,2) AS l_quantity,
    ((qty * (90000 + (pkey // 10) % 20001 + 100 * (pkey % 1000)))::DECIMAL(18,0) / 100)::DECIMAL(15,2)
        AS l_extendedprice,
    ((rnd(o, l, 8) % 11) / 100)::DECIMAL(15,2) AS l_discount, ((rnd(o, l, 9) % 9) / 100)::DECIMAL(15,2) AS l_tax,
    CASE WHEN receipt > DATE '1995-06-17' THEN 'N' WHEN rnd(o, l, 10) % 2 = 0 THEN 'R' ELSE 'A' END AS l_returnflag,
    CASE WHEN ship > DATE '1995-06-17' THEN 'O' ELSE 'F' END AS l_linestatus,
    ship AS l_shipdate, commit_day AS l_commitdate, receipt AS l_receiptdate,
    ['DELIVER IN PERSON', 'COLLECT COD', 'NONE', 'TAKE BACK RETURN'][1 + rnd(o, l, 11) % 4] AS l_shipinstruct,
    ['REG AIR', 'AIR', 'RAIL', 'SHIP', 'TRUCK', 'MAIL', 'FOB'][1 + rnd(o, l, 12) % 7] AS l_shipmode,
    substr($pool, 1 + rnd(o, l, 13) % {pool_room}, 10 + rnd(o, l, 14) % 34) AS l_comment
FROM all_dates ORDER BY o, l
"""

WEBLOG = """
CREATE OR REPLACE MACRO pick(i, n) AS (hash(i * 31 + n * 7919) % 1000000007)::BIGINT;
CREATE OR REPLACE TABLE weblog AS
SELECT TIMESTAMP '2026-03-01' + INTERVAL (i * 137 + pick(i, 1) % 5000) MILLISECOND AS ts,
    concat_ws('.', 10 + pick(pick(i, 2) % 40000, 3) % 200, pick(pick(i, 2) % 40000, 4) % 256,
              pick(pick(i, 2) % 40000, 5) % 256, pick(pick(i, 2) % 40000, 6) % 256) AS ip,
    ['GET', 'GET', 'GET', 'GET', 'POST', 'HEAD', 'PUT'][1 + pick(i, 7) % 7] AS method,
    CASE pick(i, 8) % 4
        WHEN 0 THEN '/products/' || (pick(i, 9) % 90000) || '/item.html'
        WHEN 1 THEN '/search?q=' || ['shoes', 'red+dress', 'camera', 'usb+cable'][1 + pick(i, 10) % 4]
                    || '&page=' || (pick(i, 11) % 50) || '&session=' || hex(pick(i, 12))
        WHEN 2 THEN '/static/img/' || (pick(i, 13) % 3000) || '.png'
        ELSE '/account/' || (pick(i, 14) % 200000) || '/orders' END AS path,
    [200, 200, 200, 200, 200, 200, 304, 302, 404, 500][1 + pick(i, 15) % 10] AS status,
    CASE WHEN pick(i, 16) % 20 = 0 THEN NULL ELSE 200 + pick(i, 17) % 60000 END AS bytes,
    CASE WHEN pick(i, 18) % 3 = 0 THEN NULL
         ELSE 'https://www.example-' || (pick(i, 19) % 700) || '.com/landing' END AS referrer,
    'Mozilla/5.0 (' || ['X11; Linux x86_64', 'Windows NT 10.0; Win64; x64', 'Macintosh; Intel Mac OS X 10_15_7',
                        'iPhone; CPU iPhone OS 17_1 like Mac OS X'][1 + pick(i, 20) % 4]
        || ') AppleWebKit/537.36 Chrome/' || (90 + pick(i, 21) % 40) || '.0.0.0' AS agent,
    (pick(i, 22) % 100000) / 1e4 AS seconds
FROM range({rows}) AS t(i)
"""


def text_pool(size):
    choose = random.Random(1992)
    words = []
    length = 0
    while length < size:
        word = choose.choice(choose.choice((NOUNS, VERBS, OTHERS)))
        words.append(word + choose.choice((" ", " ", " ", " ", " ", ". ", ", ")))
        length += len(words[-1])
    return "".join(words)


def make_lineitem(connection, orders):
    pool = text_pool(1 << 20)
    text = LINEITEM.format(orders=orders, parts=max(orders * 2 // 15, 1000), suppliers=max(orders // 150, 100),
                           pool_room=len(pool) - 50)
    for part in text.split(";"):
        connection.execute(part, {"pool": pool} if "$pool" in part else None)


def make_weblog(connection, rows):
    connection.execute(WEBLOG.format(rows=rows))

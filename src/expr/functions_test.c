// SPDX-License-Identifier: Apache-2.0
//
// Values and types are Flink 2.1.1's, out of fixtures/flink-answers/scalar.
#include "expr/function.h"

#include "expr/terms_test.h"

#define CASES(name, ...)                                                                           \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        static const struct terms_case cases[] = {__VA_ARGS__};                                   \
        terms_expect_all(cases, sizeof cases / sizeof *cases);                                    \
    }

CASES(test_integers_wrap_and_keep_the_wider_type,
      {"(+ 2147483647 1)", "INT NOT NULL", "-2147483648"},
      {"(+ (CAST 127 TINYINT) (CAST 1 TINYINT))", "TINYINT NOT NULL", "-128"},
      {"(+ (CAST 127 TINYINT) 1)", "INT NOT NULL", "128"},
      {"(/ (CAST -32768 SMALLINT) (CAST -1 SMALLINT))", "SMALLINT NOT NULL", "-32768"},
      {"(/ 7 2)", "INT NOT NULL", "3"}, {"(/ -7 2)", "INT NOT NULL", "-3"},
      {"(/ 1 0)", "", "failed"}, {"(% -7 3)", "INT NOT NULL", "-1"},
      {"(MOD 7L 3)", "INT NOT NULL", "1"},
      {"(% (CAST 5 BIGINT) (CAST 5 SMALLINT))", "SMALLINT NOT NULL", "0"},
      {"(ABS -2147483648)", "INT NOT NULL", "-2147483648"}, {"(- 7)", "INT NOT NULL", "-7"},
      {"(SIGN -5.25)", "DECIMAL(3, 2) NOT NULL", "-1.00"}, {"(/ (NULL INT) 0)", "INT", "\\N"},
      {"(+ '1' 1)", "", "refused"}, {"(+ 1 TRUE)", "", "refused"}, {"(% 2.5E0 2)", "", "refused"})

CASES(test_decimals_derive_precision_and_scale, {"(+ 0.1 0.2)", "DECIMAL(3, 1) NOT NULL", "0.3"},
      {"(+ 5 (CAST 2.50 DECIMAL(5,2)))", "DECIMAL(13, 2) NOT NULL", "7.50"},
      {"(/ 1.0 3)", "DECIMAL(13, 12) NOT NULL", "0.333333333333"},
      {"(/ 1.0 3.0)", "DECIMAL(8, 6) NOT NULL", "0.333333"},
      {"(/ (CAST 5 TINYINT) (CAST 2.50 DECIMAL(5,2)))", "DECIMAL(11, 6) NOT NULL", "2.000000"},
      {"(* 99999.99 (CAST 1.5 DECIMAL(38,18)))", "DECIMAL(38, 12) NOT NULL", "149999.985000000000"},
      {"(+ (CAST 1 DECIMAL(38,0)) (CAST 1.5 DECIMAL(38,18)))", "DECIMAL(38, 6) NOT NULL",
       "2.500000"},
      {"(% (CAST 1 DECIMAL(38,0)) (CAST 5 TINYINT))", "TINYINT NOT NULL", "1"},
      {"(% (CAST 1 DECIMAL(38,0)) 99999.99)", "DECIMAL(7, 2) NOT NULL", "1.00"},
      {"(MOD -7.5 2.25)", "DECIMAL(3, 2) NOT NULL", "-0.75"},
      {"(* (CAST 2.5 FLOAT) 2.5E0)", "FLOAT NOT NULL", "6.25"},
      {"(* 2.5E0 (CAST 2.5 FLOAT))", "DOUBLE NOT NULL", "6.25"},
      {"(+ (CAST 2.5 FLOAT) (CAST 2.50 DECIMAL(5,2)))", "DOUBLE NOT NULL", "5.0"},
      {"(/ 1.0E0 0)", "", "failed"}, {"(/ 7 2.0E0)", "DOUBLE NOT NULL", "3.5"})

CASES(test_rounding, {"(FLOOR -0.5)", "DECIMAL(2, 0) NOT NULL", "-1"},
      {"(CEIL (CAST 99.99 DECIMAL(4,2)))", "DECIMAL(4, 0) NOT NULL", "100"},
      {"(ROUND 3.5)", "DECIMAL(2, 0) NOT NULL", "4"},
      {"(ROUND 199.5 -3)", "DECIMAL(4, 0) NOT NULL", "0"}, {"(ROUND 15 -1)", "INT NOT NULL", "20"},
      {"(ROUND 1.005E0 2)", "DOUBLE NOT NULL", "1.01"},
      {"(TRUNCATE 42.324 2)", "DECIMAL(5, 2) NOT NULL", "42.32"},
      {"(TRUNCATE 1234.5E0 -2)", "DOUBLE NOT NULL", "1200.0"},
      {"(CEILING 2.5E0)", "DOUBLE NOT NULL", "3.0"}, {"(FLOOR 5)", "INT NOT NULL", "5"})

CASES(test_comparison_casts_what_flink_casts, {"(>= 1 1.0)", "BOOLEAN NOT NULL", "TRUE"},
      {"(= 1 '1')", "", "refused"}, {"(>= 1 '1')", "BOOLEAN NOT NULL", "TRUE"},
      {"(> 'abc' 1)", "", "failed"}, {"(= TRUE 'true')", "BOOLEAN NOT NULL", "FALSE"},
      {"(= TRUE 1)", "", "refused"}, {"(= (CAST 'a' CHAR(3)) 'a')", "BOOLEAN NOT NULL", "FALSE"},
      {"(= (CAST '2020-02-29' DATE) '2020-02-29')", "BOOLEAN NOT NULL", "TRUE"},
      {"(= 'abc' (CAST '2020-02-29' DATE))", "", "failed"},
      {"(<> (CAST 'NaN' DOUBLE) (CAST 'NaN' DOUBLE))", "BOOLEAN NOT NULL", "FALSE"},
      {"(= 1 (NULL INT))", "BOOLEAN", "\\N"},
      {"(IS_NOT_DISTINCT_FROM (NULL INT) (NULL INT))", "BOOLEAN NOT NULL", "TRUE"},
      {"(IS_DISTINCT_FROM 1.10 1.1000)", "BOOLEAN NOT NULL", "FALSE"},
      {"(= (ARRAY 1 2) (ARRAY 1 2))", "BOOLEAN NOT NULL", "TRUE"},
      {"(< (ARRAY 1 2) (ARRAY 1 3))", "", "refused"},
      {"(< (ARRAY 1 2) (ARRAY 1 2))", "BOOLEAN NOT NULL", "FALSE"},
      {"(<> (ROW 1 2) (ROW 1 3))", "BOOLEAN NOT NULL", "TRUE"},
      {"(BETWEEN 5 10 1)", "BOOLEAN NOT NULL", "FALSE"},
      {"(BETWEEN 5 1 (NULL INT))", "BOOLEAN", "\\N"}, {"(GREATEST 1 2 3)", "INT NOT NULL", "3"},
      {"(GREATEST 'a' 'b' 'B')", "CHAR(1) NOT NULL", "b"}, {"(LEAST 1 (NULL INT))", "INT", "\\N"})

CASES(test_in_lists, {"(IN 4 1 2 3)", "BOOLEAN NOT NULL", "FALSE"},
      {"(IN 4 '4' '5')", "BOOLEAN NOT NULL", "TRUE"}, {"(IN 4 'a')", "", "failed"},
      {"(IN 1 1 2 (NULL INT))", "BOOLEAN", "TRUE"},
      {"(NOT (IN 4 1 2 (NULL INT)))", "BOOLEAN", "\\N"},
      {"(IN 4 4.0 5.0)", "BOOLEAN NOT NULL", "TRUE"},
      {"(IN 7 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)", "BOOLEAN NOT NULL", "TRUE"},
      {"(IN 'x' 'a' 'b' 'x')", "BOOLEAN NOT NULL", "TRUE"},
      {"(IN (ROW 1 2) (ROW 1 2))", "BOOLEAN NOT NULL", "TRUE"})

CASES(test_three_valued_logic, {"(OR TRUE (NULL BOOLEAN))", "BOOLEAN", "TRUE"},
      {"(AND FALSE (NULL BOOLEAN))", "BOOLEAN", "FALSE"},
      {"(OR FALSE (NULL BOOLEAN))", "BOOLEAN", "\\N"},
      {"(OR TRUE (CAST 'x' BOOLEAN))", "BOOLEAN NOT NULL", "TRUE"},
      {"(AND TRUE (CAST 'x' BOOLEAN))", "", "failed"}, {"(NOT (NULL BOOLEAN))", "BOOLEAN", "\\N"},
      {"(IS_UNKNOWN (> (NULL INT) 0))", "BOOLEAN NOT NULL", "TRUE"},
      {"(IS_NOT_TRUE FALSE)", "BOOLEAN NOT NULL", "TRUE"}, {"(AND 1 0)", "", "refused"})

CASES(test_conditions, {"(CASE FALSE (/ 1 0) 5)", "INT NOT NULL", "5"},
      {"(CASE TRUE 'a' 'bcd')", "VARCHAR(3) NOT NULL", "a"},
      {"(CASE TRUE 1 2.5)", "DECIMAL(11, 1) NOT NULL", "1.0"}, {"(CASE TRUE 1 'a')", "", "refused"},
      {"(NULLIF 5 5)", "INT", "\\N"}, {"(COALESCE 1 (/ 1 0))", "INT NOT NULL", "1"},
      {"(COALESCE (NULL TINYINT) (CAST 5 BIGINT))", "BIGINT NOT NULL", "5"},
      {"(COALESCE (CAST 1.5 FLOAT) 2.5E0)", "DOUBLE NOT NULL", "1.5"},
      {"(COALESCE (CAST 2 SMALLINT) (CAST 1.25 DECIMAL(6,2)))", "DECIMAL(7, 2) NOT NULL", "2.00"},
      {"(COALESCE 1 'a')", "", "refused"},
      {"(IFNULL (NULL STRING) 'abc')", "STRING NOT NULL", "abc"},
      {"(IF (NULL BOOLEAN) 1 2)", "INT", "2"}, {"(IF FALSE (/ 1 0) 7)", "INT NOT NULL", "7"},
      {"(IF 1 2 3)", "", "refused"})

CASES(test_casts, {"(CAST 128 TINYINT)", "TINYINT NOT NULL", "-128"},
      {"(CAST 2.5 DECIMAL(10,0))", "DECIMAL(10, 0) NOT NULL", "3"},
      {"(CAST TRUE STRING)", "STRING NOT NULL", "TRUE"}, {"(CAST '1e3' INT)", "", "failed"},
      {"(TRY_CAST '1e3' INT)", "INT", "\\N"}, {"(CAST 'ab' CHAR(4))", "CHAR(4) NOT NULL", "ab  "},
      {"(CAST 5 DATE)", "", "refused"}, {"(TYPEOF 2.5E0)", "STRING", "DOUBLE NOT NULL"})

CASES(
    test_strings, {"(UPPER 'Hello World')", "CHAR(11) NOT NULL", "HELLO WORLD"},
    {"(UPPER 'stra\xc3\x9f"
     "e')",
     "CHAR(6) NOT NULL", "STRASS"},
    {"(UPPER 1)", "", "refused"}, {"(UPPER)", "", "refused"},
    {"(CHAR_LENGTH '')", "INT NOT NULL", "0"}, {"(|| 'a' 'b')", "CHAR(2) NOT NULL", "ab"},
    {"(|| (CAST '12' VARCHAR(5)) 'x')", "VARCHAR(6) NOT NULL", "12x"},
    {"(|| 'a' 1)", "", "refused"}, {"(SUBSTRING 'abcdef' -3 2)", "VARCHAR(6)", "de"},
    {"(SUBSTR 'abcdef' 0 2)", "VARCHAR(6)", "ab"},
    {"(SUBSTRING 'abcdef' 2 -1)", "VARCHAR(6)", "\\N"}, {"(LEFT 'abcdef' 2)", "VARCHAR(6)", "ab"},
    {"(RIGHT 'abcdef' -1)", "VARCHAR(6)", ""}, {"(TRIM '  a b  ')", "VARCHAR(7) NOT NULL", "a b"},
    {"(LTRIM 'xxabc' 'x')", "VARCHAR(5) NOT NULL", "abc"},
    {"(BTRIM 'aaa' 'a')", "STRING NOT NULL", ""},
    {"(CONCAT 'AA' 'BB' 'CC' 'DD' 'EE' 'FF')", "STRING NOT NULL", "AABBCCDDEEFF"},
    {"(CONCAT_WS ',' 'a' (NULL STRING) 'b')", "STRING", "a,b"},
    {"(POSITION 'z' 'abc')", "INT NOT NULL", "0"}, {"(LOCATE 'b' 'abcb' 3)", "INT NOT NULL", "4"},
    {"(INSTR 'abcabc' 'c' -1)", "INT NOT NULL", "6"}, {"(INSTR 'abcabc' 'c')", "INT NOT NULL", "3"},
    {"(REPLACE 'aaa' '' 'x')", "STRING NOT NULL", "xaxaxax"},
    {"(SPLIT_INDEX 'a--b-c' '--' 1)", "STRING", "b-c"}, {"(SPLIT_INDEX 'a,b' 44 1)", "STRING", "b"},
    {"(LPAD 'hi' 5 'ab')", "STRING NOT NULL", "abahi"},
    {"(RPAD 'hi' 1 '?')", "STRING NOT NULL", "h"}, {"(REPEAT 'ab' 3)", "STRING NOT NULL", "ababab"},
    {"(OVERLAY 'xxxxxtest' 'xxxx' 6)", "VARCHAR(13) NOT NULL", "xxxxxxxxx"},
    {"(TRANSLATE 'abcba' 'abc' 'x')", "STRING NOT NULL", "xx"}, {"(ELT 1 'a' 'b')", "CHAR(1)", "a"},
    {"(ELT 0 'a' 'b')", "CHAR(1)", "\\N"}, {"(IS_ALPHA 'abc1')", "BOOLEAN NOT NULL", "FALSE"},
    {"(IS_DIGIT (NULL STRING))", "BOOLEAN NOT NULL", "FALSE"},
    {"(IS_DECIMAL '-12.3e5')", "BOOLEAN NOT NULL", "TRUE"}, {"(REVERSE 'abc')", "STRING", "cba"},
    {"(CHR 97)", "STRING", "a"}, {"(STARTSWITH 'hello' 'he')", "BOOLEAN NOT NULL", "TRUE"},
    {"(LIKE 'abc' 'a%')", "BOOLEAN NOT NULL", "TRUE"},
    {"(LIKE 'a_c' 'a!_c' '!')", "BOOLEAN NOT NULL", "TRUE"},
    {"(LIKE 'abc' 'abc!' '!')", "", "failed"})

CASES(test_regular_expressions, {"(SIMILAR_TO 'abc' '[a-c]+')", "BOOLEAN NOT NULL", "TRUE"},
      {"(SIMILAR_TO 'abc' 'b')", "BOOLEAN NOT NULL", "FALSE"},
      {"(SIMILAR_TO 'a1' '[[:ALPHA:]][[:DIGIT:]]')", "BOOLEAN NOT NULL", "TRUE"},
      {"(SIMILAR_TO 'a%c' 'a!%c' '!')", "BOOLEAN NOT NULL", "TRUE"},
      {"(SIMILAR_TO 'ab' '(a')", "", "failed"}, {"(SIMILAR_TO 'ab' '[a')", "", "failed"},
      {"(REGEXP 'foobar' '[')", "BOOLEAN NOT NULL", "FALSE"},
      {"(REGEXP 'foobar' 'o+b')", "BOOLEAN NOT NULL", "TRUE"},
      {"(REGEXP_REPLACE 'foobar' '(o)(b)' '$2$1')", "STRING NOT NULL", "fo$2$1ar"},
      {"(REGEXP_REPLACE 'foobar' 'x*' '-')", "STRING NOT NULL", "-f-o-o-b-a-r-"},
      {"(REGEXP_EXTRACT 'foothebar' 'foo(.*?)(bar)' 1)", "STRING", "the"},
      {"(REGEXP_EXTRACT 'foothebar' 'foo(.*?)(bar)' 3)", "STRING", "\\N"},
      {"(REGEXP_EXTRACT 'abc' '[' 0)", "STRING", "\\N"},
      {"(REGEXP_EXTRACT_ALL '100-200, 300-400' '(\\d+)-(\\d+)' 0)", "ARRAY<STRING>",
       "[100-200, 300-400]"},
      {"(REGEXP_EXTRACT_ALL '100-200' '\\d+')", "ARRAY<STRING>", "\\N"},
      {"(REGEXP_COUNT 'abc' '')", "INT", "4"}, {"(REGEXP_INSTR 'hello world' 'wor')", "INT", "7"},
      {"(REGEXP_SUBSTR 'a1b22' '\\d{2}')", "STRING", "22"})

CASES(test_real_functions, {"(SQRT 0.5)", "DOUBLE NOT NULL", "0.7071067811865476"},
      {"(LOG 2 8)", "DOUBLE NOT NULL", "3.0"}, {"(LOG -1)", "DOUBLE NOT NULL", "NaN"},
      {"(POWER 2 0.5)", "DOUBLE NOT NULL", "1.4142135623730951"},
      {"(PI)", "DOUBLE NOT NULL", "3.141592653589793"},
      {"(RAND 42)", "DOUBLE NOT NULL", "0.7275636800328681"},
      {"(RAND_INTEGER 42 1000)", "INT NOT NULL", "130"}, {"(RAND_INTEGER 7 0)", "", "failed"},
      {"(BIN 6)", "STRING NOT NULL", "110"}, {"(HEX -1)", "STRING NOT NULL", "FFFFFFFFFFFFFFFF"})

CASES(test_digests_and_codes,
      {"(MD5 'abc')", "CHAR(32) NOT NULL", "900150983cd24fb0d6963f7d28e17f72"},
      {"(SHA1 '')", "CHAR(40) NOT NULL", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"(SHA2 'abc' 1)", "", "failed"}, {"(MD5 1)", "", "refused"},
      {"(TO_BASE64 'hello world')", "STRING NOT NULL", "aGVsbG8gd29ybGQ="},
      {"(FROM_BASE64 'aGVsbG8gd29ybGQ')", "STRING NOT NULL", "hello world"},
      {"(URL_ENCODE 'a-b_c.d*e~f+g%')", "STRING", "a-b_c.d*e%7Ef%2Bg%25"},
      {"(URL_DECODE '%zz')", "STRING", "\\N"}, {"(URL_DECODE 'x+y%2B')", "STRING", "x y+"},
      {"(PARSE_URL 'http://u:pw@h.example:80/p/a.php?k1=v1&k2=v2#R' 'HOST')", "STRING",
       "h.example"},
      {"(PARSE_URL 'http://u:pw@h.example:80/p/a.php?k1=v1&k2=v2#R' 'QUERY' 'k2')", "STRING", "v2"},
      {"(PARSE_URL 'not a url' 'HOST')", "STRING", "\\N"},
      {"(JSON_QUOTE 'a/b')", "STRING NOT NULL", "\"a\\/b\""},
      {"(JSON_UNQUOTE '\"abc')", "STRING NOT NULL", "\"abc"})

CASES(test_collections, {"(ITEM (ARRAY 1 2 3) 3)", "INT", "3"},
      {"(ITEM (ARRAY 1 2 3) 0)", "", "refused"}, {"(ITEM (ARRAY 1 2 3) 9)", "INT", "\\N"},
      {"(ITEM (MAP 'a' 1 'b' 2) 'b')", "INT", "2"}, {"(ITEM (MAP 'a' 1) 'z')", "INT", "\\N"},
      {"(ARRAY 1.50 2)", "ARRAY<DECIMAL(12, 2) NOT NULL> NOT NULL", "[1.50, 2.00]"},
      {"(ARRAY 1 'a')", "", "refused"},
      {"(ROW 1 'a')", "ROW<`EXPR$0` INT NOT NULL, `EXPR$1` CHAR(1) NOT NULL> NOT NULL", "(1, a)"},
      {"(FIELD:EXPR$1 (ROW 1 'a'))", "CHAR(1) NOT NULL", "a"},
      {"(FIELD:f0 (ROW 1 'a'))", "", "refused"}, {"(CARDINALITY (ARRAY 1 2))", "INT NOT NULL", "2"},
      {"(ELEMENT (ARRAY 1 2))", "", "failed"},
      {"(ARRAY_APPEND (ARRAY 1 2) (NULL INT))", "ARRAY<INT>", "[1, 2, NULL]"},
      {"(ARRAY_CONTAINS (ARRAY 1 (NULL INT)) (NULL INT))", "BOOLEAN NOT NULL", "TRUE"},
      {"(ARRAY_CONTAINS (ARRAY 1) 1.0)", "", "refused"},
      {"(ARRAY_DISTINCT (ARRAY 1 (NULL INT) 1 (NULL INT)))", "ARRAY<INT> NOT NULL", "[1, NULL]"},
      {"(ARRAY_POSITION (ARRAY 1 2 3 2) 2)", "INT NOT NULL", "2"},
      {"(ARRAY_REMOVE (ARRAY 1 2 1) 1)", "ARRAY<INT NOT NULL> NOT NULL", "[2]"},
      {"(ARRAY_SLICE (ARRAY 1 2 3 4 5) -3 -2)", "ARRAY<INT NOT NULL> NOT NULL", "[3, 4]"},
      {"(ARRAY_SLICE (ARRAY 1 2 3 4 5) 0 2)", "ARRAY<INT NOT NULL> NOT NULL", "[1, 2]"},
      {"(ARRAY_SORT (ARRAY 3 (NULL INT) 1) FALSE)", "ARRAY<INT> NOT NULL", "[3, 1, NULL]"},
      {"(ARRAY_CONCAT (ARRAY 'a') (ARRAY 'bcd'))", "ARRAY<VARCHAR(3) NOT NULL> NOT NULL",
       "[a, bcd]"},
      {"(ARRAY_UNION (ARRAY 1 2) (ARRAY 2 3))", "ARRAY<INT NOT NULL> NOT NULL", "[1, 2, 3]"},
      {"(ARRAY_EXCEPT (ARRAY 1 2 2 3) (ARRAY 2))", "ARRAY<INT NOT NULL> NOT NULL", "[1, 3]"},
      {"(ARRAY_INTERSECT (ARRAY 1 2 2 3) (ARRAY 2 3 4))", "ARRAY<INT NOT NULL> NOT NULL", "[2, 3]"},
      {"(ARRAY_MAX (ARRAY 1 3 2))", "INT", "3"}, {"(ARRAY_MIN (ARRAY 3 1 2))", "INT", "1"},
      {"(ARRAY_JOIN (ARRAY 'a' (NULL STRING) 'c') ',')", "STRING NOT NULL", "a,c"},
      {"(MAP_KEYS (MAP 'a' 1 'b' 2))", "ARRAY<CHAR(1) NOT NULL> NOT NULL", "[a, b]"},
      {"(MAP_ENTRIES (MAP 'a' 1))",
       "ARRAY<ROW<`key` CHAR(1) NOT NULL, `value` INT NOT NULL>> NOT NULL", "[(a, 1)]"},
      {"(MAP_UNION (MAP 'a' 1) (MAP 'a' 9))", "MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL",
       "{a=9}"},
      {"(MAP_FROM_ARRAYS (ARRAY 'a') (ARRAY 1 2))", "", "failed"},
      {"(SPLIT 'a,b,,c,' ',')", "ARRAY<STRING> NOT NULL", "[a, b, , c, ]"},
      {"(SPLIT 'abc' '')", "ARRAY<STRING> NOT NULL", "[a, b, c]"},
      {"(SPLIT '' ',')", "ARRAY<STRING> NOT NULL", "[]"},
      {"(STR_TO_MAP 'k1:v1;k2:v2' ';' ':')", "MAP<STRING, STRING>", "{k1=v1, k2=v2}"},
      {"(STR_TO_MAP 'k1')", "MAP<STRING, STRING>", "{k1=NULL}"},
      {"(STR_TO_MAP '')", "MAP<STRING, STRING>", "{}"})

CASES(test_times, {"(EXTRACT:DOW (CAST '2020-02-29' DATE))", "BIGINT NOT NULL", "7"},
      {"(YEAR (CAST '2020-02-29' DATE))", "BIGINT NOT NULL", "2020"},
      {"(EXTRACT:YEAR (CAST '12:34:56' TIME))", "", "refused"},
      {"(EXTRACT:MICROSECOND (CAST '2021-12-31 23:59:59.123456789' TIMESTAMP(9)))",
       "BIGINT NOT NULL", "123456"},
      {"(FLOOR:WEEK (CAST '2020-02-29' DATE))", "DATE NOT NULL", "2020-02-23"},
      {"(CEIL:HOUR (CAST '2020-02-29 12:34:56.789' TIMESTAMP(3)))", "TIMESTAMP(3) NOT NULL",
       "2020-02-29 13:00:00.000"},
      {"(+ (CAST '2020-01-31' DATE) (CAST '0-1' MONTHS))", "", "refused"},
      {"(TIMESTAMPADD:SECOND 61 (CAST '2020-02-29' DATE))", "TIMESTAMP(6) NOT NULL",
       "2020-02-29 00:01:01.000000"},
      {"(TIMESTAMPADD:DAY -60 (CAST '2020-02-29' DATE))", "DATE NOT NULL", "2019-12-31"},
      {"(TIMESTAMPDIFF:MONTH (CAST '2021-03-01 00:00:00' TIMESTAMP(0)) "
       "(CAST '2020-02-29 23:59:59' TIMESTAMP(0)))",
       "INT NOT NULL", "-12"},
      {"(TO_TIMESTAMP_LTZ 1582979696 0)", "TIMESTAMP_LTZ(3)", "2020-02-29 12:34:56.000"},
      {"(TO_TIMESTAMP_LTZ 9223372036854775807L 0)", "TIMESTAMP_LTZ(3)", "\\N"},
      {"(TO_TIMESTAMP_LTZ 1 6)", "", "failed"},
      {"(NOW)", "TIMESTAMP_LTZ(3) NOT NULL", "2023-11-14 22:13:20.000"},
      {"(CURRENT_DATE)", "DATE NOT NULL", "2023-11-14"})

CASES(test_patterns_of_times,
      {"(DATE_FORMAT (CAST '2020-02-09 03:04:05.067' TIMESTAMP(3)) 'yyyy-MM-dd HH:mm:ss.SSS')",
       "STRING", "2020-02-09 03:04:05.067"},
      {"(DATE_FORMAT '2020-02-29 12:34:56' 'EEEE, d MMMM yyyy')", "STRING",
       "Saturday, 29 February 2020"},
      {"(DATE_FORMAT '9999-12-31 23:59:59' 'YYYY-ww')", "STRING", "+10000-01"},
      {"(DATE_FORMAT '2020-02-09 03:04:05.067' 'dd MMM yyyy h:mm a')", "STRING",
       "09 Feb 2020 3:04 AM"},
      {"(DATE_FORMAT '2020-02-09 03:04:05' 'bogus')", "", "failed"},
      {"(DATE_FORMAT '2020-02-09 03:04:05' 'xxx')", "", "failed"},
      {"(DATE_FORMAT (CAST '2020-02-29' DATE) 'yyyy')", "", "refused"},
      {"(TO_TIMESTAMP '2020-02-30 00:00:00')", "TIMESTAMP(3)", "2020-02-29 00:00:00.000"},
      {"(TO_TIMESTAMP '20200229123456' 'yyyyMMddHHmmss')", "TIMESTAMP(3)",
       "2020-02-29 12:34:56.000"},
      {"(TO_TIMESTAMP '2020-02-29 24:00:00' 'yyyy-MM-dd HH:mm:ss')", "TIMESTAMP(3)",
       "2020-03-01 00:00:00.000"},
      {"(TO_TIMESTAMP 'Sat Feb 29 2020' 'EEE MMM dd yyyy')", "TIMESTAMP(3)",
       "2020-02-29 00:00:00.000"},
      {"(TO_TIMESTAMP '2020-060' 'yyyy-DDD')", "TIMESTAMP(3)", "2020-02-29 00:00:00.000"},
      {"(TO_TIMESTAMP '20-2-9 1:2:3' 'yy-M-d H:m:s')", "TIMESTAMP(3)", "2020-02-09 01:02:03.000"},
      {"(TO_TIMESTAMP '2020-02-29 12:34:56 extra' 'yyyy-MM-dd HH:mm:ss')", "TIMESTAMP(3)", "\\N"},
      {"(TO_TIMESTAMP '2020-02-29 12:34:56' 'bogus')", "TIMESTAMP(3)", "\\N"},
      {"(TO_DATE 'Feb 29, 2020' 'MMM dd, yyyy')", "DATE", "2020-02-29"},
      {"(TO_DATE '2020-02-30')", "DATE", "\\N"},
      {"(FROM_UNIXTIME 44)", "STRING", "1970-01-01 00:00:44"},
      {"(UNIX_TIMESTAMP '2020-03-08 03:00:00')", "BIGINT NOT NULL", "1583636400"},
      {"(UNIX_TIMESTAMP 'abc')", "BIGINT NOT NULL", "-9223372036854775808"},
      {"(UNIX_TIMESTAMP '2020-02-29 00:00:00' 'bogus')", "", "failed"},
      {"(CONVERT_TZ '2020-07-01 12:00:00' 'America/New_York' 'Asia/Kathmandu')", "STRING",
       "2020-07-01 21:45:00"},
      {"(CONVERT_TZ '2020-03-08 02:30:00' 'America/New_York' 'UTC')", "STRING",
       "2020-03-08 07:30:00"},
      {"(TO_TIMESTAMP_LTZ '2020-02-29 12:34:56' 'yyyy-MM-dd HH:mm:ss' 'Asia/Tokyo')",
       "TIMESTAMP_LTZ(3)", "2020-02-29 03:34:56.000"})

static void test_an_unknown_name_gets_the_nearest_as_a_hint(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct function_use use = {
        .arena = &arena, .name = STR_LIT("REGEXP_EXTRAKT"), .offset = 7, .length = 14};
    const struct expr *expr;
    struct err err;
    assert_int_equal(function_resolve(&use, &expr, &err), STATUS_NOT_FOUND);
    assert_int_equal(err.stage, ERR_STAGE_VALIDATE);
    assert_int_equal(err.offset, 7);
    assert_string_equal(err.hint, "did you mean REGEXP_EXTRACT?");
    arena_release(&arena);
}

static void test_every_function_says_what_it_takes_and_does(void **state)
{
    (void)state;
    assert_true(function_count() >= 150);
    for (uint32_t i = 0; i < function_count(); i++) {
        const struct function *function = function_at(i);
        assert_non_null(function->signature);
        assert_non_null(function->doc);
        assert_true(function->resolve != NULL || function->pattern != NULL);
        assert_true(function->args_max < 0 || function->args_max >= function->args_min);
        assert_ptr_equal(function_find(str_from(function->name), (uint32_t)function->args_min),
                         function);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers_wrap_and_keep_the_wider_type),
        cmocka_unit_test(test_decimals_derive_precision_and_scale),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_comparison_casts_what_flink_casts),
        cmocka_unit_test(test_in_lists),
        cmocka_unit_test(test_three_valued_logic),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_regular_expressions),
        cmocka_unit_test(test_real_functions),
        cmocka_unit_test(test_digests_and_codes),
        cmocka_unit_test(test_collections),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_patterns_of_times),
        cmocka_unit_test(test_an_unknown_name_gets_the_nearest_as_a_hint),
        cmocka_unit_test(test_every_function_says_what_it_takes_and_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

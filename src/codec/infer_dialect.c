// SPDX-License-Identifier: Apache-2.0
//
// How CSV is written, guessed from its first records: by each candidate they are cut into fields,
// and that which gives most of them the same number of fields is taken.
#include "codec/infer_int.h"

enum { SNIFF_RECORDS = 200 };

// At equal agreement the first one counts: a comma is often a part of values.
static const char delimiters[] = {'\t', ';', '|', ','};

struct records {
    uint32_t counts[SNIFF_RECORDS]; // fields of each
    uint32_t count;
    uint32_t quoted;    // fields that begin with a quote
    bool has_bad_quote; // something stands behind a closing quote
    bool has_escape;    // \" within a field that goes on behind it
};

static bool ends_field(const struct infer_csv *csv, struct str text, size_t at)
{
    return at >= text.size || text.ptr[at] == csv->delimiter || text.ptr[at] == '\n' ||
           text.ptr[at] == '\r';
}

// Behind the field in quotes whose first quote is at `at`.
static size_t pass_quoted(const struct infer_csv *csv, struct str text, size_t at,
                          struct records *out)
{
    out->quoted++;
    for (at++; at < text.size; at++) {
        bool is_doubled = at + 1 < text.size && text.ptr[at + 1] == csv->quote;
        if (text.ptr[at] == '\\' && is_doubled) {
            bool goes_on = !ends_field(csv, text, at + 2);
            out->has_escape |= goes_on;
            at += goes_on;
        } else if (text.ptr[at] == csv->quote && is_doubled) {
            at++;
        } else if (text.ptr[at] == csv->quote) {
            out->has_bad_quote |= !ends_field(csv, text, at + 1);
            return at + 1;
        }
    }
    return at;
}

static void cut(const struct infer_csv *csv, struct str text, struct records *out)
{
    uint32_t fields = 1;
    bool at_start = true;
    *out = (struct records){0};
    for (size_t at = 0; at < text.size && out->count < SNIFF_RECORDS;) {
        if (at_start && csv->quote != 0 && text.ptr[at] == csv->quote) {
            at = pass_quoted(csv, text, at, out);
            at_start = false;
            continue;
        }
        char byte = text.ptr[at++];
        at_start = byte == csv->delimiter || byte == '\n';
        fields += byte == csv->delimiter;
        if (byte == '\n' || at == text.size) {
            out->counts[out->count++] = fields;
            fields = 1;
        }
    }
}

// The number of fields that most records have; *agreeing: how many do, of 20.
static uint32_t usual_count(const struct records *records, uint32_t *agreeing)
{
    uint32_t best = 1;
    uint32_t most = 0;
    for (uint32_t i = 0; i < records->count; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < records->count; j++) {
            same += records->counts[j] == records->counts[i];
        }
        if (same > most) {
            most = same;
            best = records->counts[i];
        }
    }
    *agreeing = records->count > 0 ? most * 20 / records->count : 0;
    return best;
}

static uint32_t find_delimiter(struct str text, const struct infer_options *options,
                               struct infer_csv *csv)
{
    struct records records;
    uint32_t best = 0;
    uint32_t agreeing;
    char found = ',';
    for (size_t i = 0; !options->has_delimiter && i < sizeof delimiters; i++) {
        csv->delimiter = delimiters[i];
        cut(csv, text, &records);
        if (usual_count(&records, &agreeing) > 1 && agreeing > best && agreeing >= 10) {
            best = agreeing;
            found = delimiters[i];
        }
    }
    csv->delimiter = options->has_delimiter ? options->csv.delimiter : found;
    cut(csv, text, &records);
    return usual_count(&records, &agreeing);
}

uint32_t infer_dialect(struct str text, const struct infer_options *options, struct infer_csv *out)
{
    struct records records;
    uint32_t agreeing;
    *out = options->csv;
    out->quote = options->has_quote ? options->csv.quote : '"';
    uint32_t count = find_delimiter(text, options, out);
    cut(out, text, &records);
    if (!options->has_quote && (records.quoted == 0 || records.has_bad_quote)) {
        struct infer_csv other = *out;
        other.quote = '\'';
        cut(&other, text, &records);
        bool is_single = records.quoted > 1 && !records.has_bad_quote;
        bool was_bad = out->quote != 0 && records.quoted == 0 && count > 1;
        if (is_single) {
            out->quote = '\'';
            count = find_delimiter(text, options, out);
        } else if (was_bad) {
            cut(out, text, &records);
            out->quote = records.has_bad_quote ? 0 : out->quote; // quotes are characters here
        }
        cut(out, text, &records);
        count = usual_count(&records, &agreeing);
    }
    if (out->escape == 0 && records.has_escape) {
        out->escape = '\\';
    }
    return count;
}

// SPDX-License-Identifier: Apache-2.0
#include "iceberg/manifest_schema.h"

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "codec/json_tree.h"

struct names {
    VEC(int32_t) decimals; // precision * 100 + scale
    VEC(int32_t) fixed;
    bool uuid;
};

static struct iceberg_field field(int32_t id, bool required, const char *name,
                                  const struct iceberg_type *type, const char *doc)
{
    return (struct iceberg_field){.id = id,
                                  .required = required,
                                  .name = str_from(name),
                                  .type = type,
                                  .doc = doc != NULL ? str_from(doc) : (struct str){0}};
}

static const struct iceberg_type *counts(struct arena *arena, int32_t key, int32_t value)
{
    return iceberg_type_map(arena, (int32_t[]){key, value}, true, iceberg_type_simple(ICEBERG_INT),
                            iceberg_type_simple(ICEBERG_LONG));
}

static const struct iceberg_type *bounds(struct arena *arena, int32_t key, int32_t value)
{
    return iceberg_type_map(arena, (int32_t[]){key, value}, true, iceberg_type_simple(ICEBERG_INT),
                            iceberg_type_simple(ICEBERG_BINARY));
}

typedef VEC(struct iceberg_field) field_vec;

static void add_metrics(struct arena *arena, field_vec *fields)
{
    VEC_PUSH(fields, field(FIELD_COLUMN_SIZES, false, "column_sizes", counts(arena, 117, 118),
                           "Map of column id to total size on disk"));
    VEC_PUSH(fields, field(FIELD_VALUE_COUNTS, false, "value_counts", counts(arena, 119, 120),
                           "Map of column id to total count, including null and NaN"));
    VEC_PUSH(fields, field(FIELD_NULL_COUNTS, false, "null_value_counts", counts(arena, 121, 122),
                           "Map of column id to null value count"));
    VEC_PUSH(fields, field(FIELD_NAN_COUNTS, false, "nan_value_counts", counts(arena, 138, 139),
                           "Map of column id to number of NaN values in the column"));
    VEC_PUSH(fields, field(FIELD_LOWER_BOUNDS, false, "lower_bounds", bounds(arena, 126, 127),
                           "Map of column id to lower bound"));
    VEC_PUSH(fields, field(FIELD_UPPER_BOUNDS, false, "upper_bounds", bounds(arena, 129, 130),
                           "Map of column id to upper bound"));
    VEC_PUSH(fields, field(FIELD_KEY_METADATA, false, "key_metadata",
                           iceberg_type_simple(ICEBERG_BINARY), "Encryption key metadata blob"));
    VEC_PUSH(fields, field(FIELD_SPLIT_OFFSETS, false, "split_offsets",
                           iceberg_type_list(arena, 133, true, iceberg_type_simple(ICEBERG_LONG)),
                           "Splittable offsets"));
}

static const struct iceberg_type *data_file_type(struct arena *arena, int32_t version,
                                                 const struct iceberg_type *partition)
{
    const struct iceberg_type *int_type = iceberg_type_simple(ICEBERG_INT);
    const struct iceberg_type *long_type = iceberg_type_simple(ICEBERG_LONG);
    const struct iceberg_type *string_type = iceberg_type_simple(ICEBERG_STRING);
    field_vec fields = {0};
    if (version > 1) {
        VEC_PUSH(&fields,
                 field(FIELD_CONTENT, true, "content", int_type,
                       "Contents of the file: 0=data, 1=position deletes, 2=equality deletes"));
    }
    VEC_PUSH(&fields,
             field(FIELD_PATH, true, "file_path", string_type, "Location URI with FS scheme"));
    VEC_PUSH(&fields, field(FIELD_FORMAT, true, "file_format", string_type,
                            "File format name: avro, orc, or parquet"));
    VEC_PUSH(&fields, field(FIELD_PARTITION, true, "partition", partition,
                            version > 1 ? "Partition data tuple, schema based on the partition spec"
                                        : NULL));
    VEC_PUSH(&fields, field(FIELD_RECORD_COUNT, true, "record_count", long_type,
                            "Number of records in the file"));
    VEC_PUSH(&fields, field(FIELD_FILE_SIZE, true, "file_size_in_bytes", long_type,
                            "Total file size in bytes"));
    if (version == 1) {
        VEC_PUSH(&fields, field(FIELD_BLOCK_SIZE, true, "block_size_in_bytes", long_type, NULL));
    }
    add_metrics(arena, &fields);
    if (version > 1) {
        VEC_PUSH(&fields, field(FIELD_EQUALITY_IDS, false, "equality_ids",
                                iceberg_type_list(arena, 136, true, int_type),
                                "Equality comparison field IDs"));
    }
    VEC_PUSH(&fields,
             field(FIELD_SORT_ORDER_ID, false, "sort_order_id", int_type, "Sort order ID"));
    if (version >= 3) {
        VEC_PUSH(&fields, field(FIELD_FIRST_ROW_ID, false, "first_row_id", long_type,
                                "The first row ID assigned to the first row in the data file"));
    }
    if (version > 1) {
        VEC_PUSH(&fields, field(FIELD_REFERENCED_FILE, false, "referenced_data_file", string_type,
                                "Fully qualified location (URI with FS scheme) of a data file that "
                                "all deletes reference"));
    }
    if (version >= 3) {
        VEC_PUSH(&fields, field(FIELD_CONTENT_OFFSET, false, "content_offset", long_type,
                                "The offset in the file where the content starts"));
        VEC_PUSH(&fields, field(FIELD_CONTENT_SIZE, false, "content_size_in_bytes", long_type,
                                "The length of referenced content stored in the file"));
    }
    const struct iceberg_type *type = iceberg_type_struct(arena, fields.items, fields.count);
    VEC_RELEASE(&fields);
    return type;
}

const struct iceberg_type *manifest_schema_entry(struct arena *arena, int32_t format_version,
                                                 const struct iceberg_type *partition)
{
    const struct iceberg_type *long_type = iceberg_type_simple(ICEBERG_LONG);
    bool is_v1 = format_version == 1;
    struct iceberg_field fields[5];
    uint32_t count = 0;
    fields[count++] = field(FIELD_STATUS, true, "status", iceberg_type_simple(ICEBERG_INT), NULL);
    fields[count++] = field(FIELD_SNAPSHOT_ID, false, "snapshot_id", long_type, NULL);
    if (!is_v1) {
        fields[count++] = field(FIELD_SEQUENCE_NUMBER, false, "sequence_number", long_type, NULL);
        fields[count++] =
            field(FIELD_FILE_SEQUENCE_NUMBER, false, "file_sequence_number", long_type, NULL);
    }
    fields[count++] = field(FIELD_DATA_FILE, true, "data_file",
                            data_file_type(arena, format_version, partition), NULL);
    return iceberg_type_struct(arena, fields, count);
}

static const struct iceberg_type *summary_type(struct arena *arena)
{
    const struct iceberg_type *binary = iceberg_type_simple(ICEBERG_BINARY);
    const struct iceberg_type *boolean = iceberg_type_simple(ICEBERG_BOOLEAN);
    struct iceberg_field fields[] = {
        field(FIELD_SUMMARY_NULL, true, "contains_null", boolean,
              "True if any file has a null partition value"),
        field(FIELD_SUMMARY_NAN, false, "contains_nan", boolean,
              "True if any file has a nan partition value"),
        field(FIELD_SUMMARY_LOWER, false, "lower_bound", binary,
              "Partition lower bound for all files"),
        field(FIELD_SUMMARY_UPPER, false, "upper_bound", binary,
              "Partition upper bound for all files"),
    };
    return iceberg_type_struct(arena, fields, 4);
}

const struct iceberg_type *manifest_schema_list(struct arena *arena, int32_t format_version)
{
    const struct iceberg_type *int_type = iceberg_type_simple(ICEBERG_INT);
    const struct iceberg_type *long_type = iceberg_type_simple(ICEBERG_LONG);
    bool is_v1 = format_version == 1;
    bool all = !is_v1;
    struct iceberg_field partitions =
        field(FIELD_LIST_PARTITIONS, false, "partitions",
              iceberg_type_list(arena, FIELD_SUMMARY, true, summary_type(arena)),
              "Summary for each partition");
    field_vec fields = {0};
    VEC_PUSH(&fields, field(FIELD_LIST_PATH, true, "manifest_path",
                            iceberg_type_simple(ICEBERG_STRING), "Location URI with FS scheme"));
    VEC_PUSH(&fields, field(FIELD_LIST_LENGTH, true, "manifest_length", long_type,
                            "Total file size in bytes"));
    VEC_PUSH(&fields, field(FIELD_LIST_SPEC_ID, true, "partition_spec_id", int_type,
                            "Spec ID used to write"));
    if (all) {
        VEC_PUSH(&fields, field(FIELD_LIST_CONTENT, true, "content", int_type,
                                "Contents of the manifest: 0=data, 1=deletes"));
        VEC_PUSH(&fields, field(FIELD_LIST_SEQUENCE_NUMBER, true, "sequence_number", long_type,
                                "Sequence number when the manifest was added"));
        VEC_PUSH(&fields, field(FIELD_LIST_MIN_SEQUENCE_NUMBER, true, "min_sequence_number",
                                long_type, "Lowest sequence number in the manifest"));
    }
    VEC_PUSH(&fields, field(FIELD_LIST_SNAPSHOT_ID, true, "added_snapshot_id", long_type,
                            "Snapshot ID that added the manifest"));
    VEC_PUSH(&fields, field(FIELD_LIST_ADDED_FILES, all, "added_files_count", int_type,
                            "Added entry count"));
    VEC_PUSH(&fields, field(FIELD_LIST_EXISTING_FILES, all, "existing_files_count", int_type,
                            "Existing entry count"));
    VEC_PUSH(&fields, field(FIELD_LIST_DELETED_FILES, all, "deleted_files_count", int_type,
                            "Deleted entry count"));
    if (is_v1) {
        VEC_PUSH(&fields, partitions);
    }
    VEC_PUSH(&fields,
             field(FIELD_LIST_ADDED_ROWS, all, "added_rows_count", long_type, "Added rows count"));
    VEC_PUSH(&fields, field(FIELD_LIST_EXISTING_ROWS, all, "existing_rows_count", long_type,
                            "Existing rows count"));
    VEC_PUSH(&fields, field(FIELD_LIST_DELETED_ROWS, all, "deleted_rows_count", long_type,
                            "Deleted rows count"));
    if (!is_v1) {
        VEC_PUSH(&fields, partitions);
    }
    VEC_PUSH(&fields, field(FIELD_LIST_KEY_METADATA, false, "key_metadata",
                            iceberg_type_simple(ICEBERG_BINARY), "Encryption key metadata blob"));
    if (format_version >= 3) {
        VEC_PUSH(&fields, field(FIELD_LIST_FIRST_ROW_ID, false, "first_row_id", long_type,
                                "Starting row ID to assign to new rows in ADDED data files"));
    }
    const struct iceberg_type *type = iceberg_type_struct(arena, fields.items, fields.count);
    VEC_RELEASE(&fields);
    return type;
}

int32_t manifest_schema_decimal_bytes(int32_t precision)
{
    // The fewest bytes that hold 10^precision - 1 with a sign.
    static const uint8_t bytes[] = {0,  1,  1,  2,  2,  3,  3,  4,  4,  4,  5,  5,  6,
                                    6,  6,  7,  7,  8,  8,  9,  9,  9,  10, 10, 11, 11,
                                    11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16};
    return bytes[precision];
}

// Remembers `value`; true where it was there already.
static bool seen(int32_t **items, uint32_t *count, uint32_t *capacity, int32_t value)
{
    for (uint32_t i = 0; i < *count; i++) {
        if ((*items)[i] == value) {
            return true;
        }
    }
    if (*count == *capacity) {
        *capacity = *capacity == 0 ? 8 : *capacity * 2;
        *items = mem_realloc(*items, *capacity * sizeof **items);
    }
    (*items)[(*count)++] = value;
    return false;
}

static void add_name(struct strbuf *out, struct str name)
{
    struct strbuf avro;
    strbuf_init(&avro, name.size * 6 + 8);
    for (size_t i = 0; i < name.size;) {
        unsigned char byte = (unsigned char)name.ptr[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        bool digit = byte >= '0' && byte <= '9';
        if (letter || (digit && i > 0)) {
            strbuf_add_byte(&avro, (char)byte);
            i++;
            continue;
        }
        if (digit) {
            strbuf_printf(&avro, "_%c", byte);
            i++;
            continue;
        }
        uint32_t point = byte;
        size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        if (size > 1) {
            point &= 0xffu >> (size + 1);
        }
        for (i++; --size > 0 && i < name.size; i++) {
            point = point << 6 | ((unsigned char)name.ptr[i] & 0x3f);
        }
        if (point > 0xffff) { // as UTF-16 has it
            strbuf_printf(&avro, "_x%X_x%X", 0xd7c0 + (point >> 10), 0xdc00 + (point & 0x3ff));
        } else {
            strbuf_printf(&avro, "_x%X", point);
        }
    }
    json_tree_quote(out, strbuf_str(&avro));
    strbuf_release(&avro);
}

static bool is_avro_name(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = (unsigned char)name.ptr[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        if (!letter && (i == 0 || byte < '0' || byte > '9')) {
            return false;
        }
    }
    return name.size > 0;
}

static void add_type(struct strbuf *out, const struct iceberg_type *type, int32_t id,
                     struct names *names);

static void add_option(struct strbuf *out, const struct iceberg_field *child, struct names *names)
{
    if (!child->required) {
        strbuf_add_text(out, "[\"null\",");
    }
    add_type(out, child->type, child->id, names);
    if (!child->required) {
        strbuf_add_byte(out, ']');
    }
}

static void add_record(struct strbuf *out, const struct iceberg_type *type, const char *name,
                       struct names *names)
{
    strbuf_printf(out, "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[", name);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct iceberg_field *child = &type->fields[i];
        strbuf_add_text(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        add_name(out, child->name);
        strbuf_add_text(out, ",\"type\":");
        add_option(out, child, names);
        if (child->doc.ptr != NULL) {
            strbuf_add_text(out, ",\"doc\":");
            json_tree_quote(out, child->doc);
        }
        if (!child->required) {
            strbuf_add_text(out, ",\"default\":null");
        }
        if (!is_avro_name(child->name)) {
            strbuf_add_text(out, ",\"iceberg-field-name\":");
            json_tree_quote(out, child->name);
        }
        strbuf_printf(out, ",\"field-id\":%d}", child->id);
    }
    strbuf_add_text(out, "]}");
}

static void add_map(struct strbuf *out, const struct iceberg_type *type, struct names *names)
{
    const struct iceberg_field *key = &type->fields[0];
    const struct iceberg_field *value = &type->fields[1];
    if (key->type->kind == ICEBERG_STRING) {
        strbuf_add_text(out, "{\"type\":\"map\",\"values\":");
        add_option(out, value, names);
        strbuf_printf(out, ",\"key-id\":%d,\"value-id\":%d}", key->id, value->id);
        return;
    }
    strbuf_printf(out,
                  "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"k%d_v%d\","
                  "\"fields\":[{\"name\":\"key\",\"type\":",
                  key->id, value->id);
    add_type(out, key->type, key->id, names);
    strbuf_printf(out, ",\"field-id\":%d},{\"name\":\"value\",\"type\":", key->id);
    add_option(out, value, names);
    strbuf_printf(out, "%s,\"field-id\":%d}]},\"logicalType\":\"map\"}",
                  value->required ? "" : ",\"default\":null", value->id);
}

static void add_fixed(struct strbuf *out, const struct iceberg_type *type, struct names *names)
{
    if (type->kind == ICEBERG_UUID) {
        strbuf_add_text(out, names->uuid ? "\"uuid_fixed\""
                                         : "{\"type\":\"fixed\",\"name\":\"uuid_fixed\","
                                           "\"size\":16,\"logicalType\":\"uuid\"}");
        names->uuid = true;
    } else if (type->kind == ICEBERG_FIXED) {
        bool known =
            seen(&names->fixed.items, &names->fixed.count, &names->fixed.capacity, type->precision);
        if (known) {
            strbuf_printf(out, "\"fixed_%d\"", type->precision);
            return;
        }
        strbuf_printf(out, "{\"type\":\"fixed\",\"name\":\"fixed_%d\",\"size\":%d}",
                      type->precision, type->precision);
    } else {
        bool known = seen(&names->decimals.items, &names->decimals.count, &names->decimals.capacity,
                          type->precision * 100 + type->scale);
        if (known) {
            strbuf_printf(out, "\"decimal_%d_%d\"", type->precision, type->scale);
            return;
        }
        strbuf_printf(out,
                      "{\"type\":\"fixed\",\"name\":\"decimal_%d_%d\",\"size\":%d,"
                      "\"logicalType\":\"decimal\",\"precision\":%d,\"scale\":%d}",
                      type->precision, type->scale, manifest_schema_decimal_bytes(type->precision),
                      type->precision, type->scale);
    }
}

static void add_type(struct strbuf *out, const struct iceberg_type *type, int32_t id,
                     struct names *names)
{
    char name[32];
    switch (type->kind) {
    case ICEBERG_BOOLEAN:
    case ICEBERG_INT:
    case ICEBERG_LONG:
    case ICEBERG_FLOAT:
    case ICEBERG_DOUBLE:
    case ICEBERG_STRING:
        iceberg_type_print_json(out, type); // the same words
        break;
    case ICEBERG_DATE: strbuf_add_text(out, "{\"type\":\"int\",\"logicalType\":\"date\"}"); break;
    case ICEBERG_TIME:
        strbuf_add_text(out, "{\"type\":\"long\",\"logicalType\":\"time-micros\"}");
        break;
    case ICEBERG_TIMESTAMP:
    case ICEBERG_TIMESTAMPTZ:
    case ICEBERG_TIMESTAMP_NS:
    case ICEBERG_TIMESTAMPTZ_NS:
        strbuf_printf(
            out, "{\"type\":\"long\",\"logicalType\":\"timestamp-%s\",\"adjust-to-utc\":%s}",
            type->kind == ICEBERG_TIMESTAMP || type->kind == ICEBERG_TIMESTAMPTZ ? "micros"
                                                                                 : "nanos",
            type->kind == ICEBERG_TIMESTAMPTZ || type->kind == ICEBERG_TIMESTAMPTZ_NS ? "true"
                                                                                      : "false");
        break;
    case ICEBERG_UUID:
    case ICEBERG_FIXED:
    case ICEBERG_DECIMAL: add_fixed(out, type, names); break;
    case ICEBERG_BINARY:
    case ICEBERG_GEOMETRY:
    case ICEBERG_GEOGRAPHY:
    case ICEBERG_VARIANT: strbuf_add_text(out, "\"bytes\""); break;
    case ICEBERG_UNKNOWN: strbuf_add_text(out, "\"null\""); break;
    case ICEBERG_STRUCT:
        snprintf(name, sizeof name, "r%d", id);
        add_record(out, type, name, names);
        break;
    case ICEBERG_LIST:
        strbuf_add_text(out, "{\"type\":\"array\",\"items\":");
        add_option(out, &type->fields[0], names);
        strbuf_printf(out, ",\"element-id\":%d}", type->fields[0].id);
        break;
    case ICEBERG_MAP: add_map(out, type, names); break;
    }
}

void manifest_schema_avro(struct strbuf *out, const struct iceberg_type *type, const char *name)
{
    struct names names = {0};
    add_record(out, type, name, &names);
    VEC_RELEASE(&names.decimals);
    VEC_RELEASE(&names.fixed);
}

void manifest_schema_iceberg(struct strbuf *out, const struct iceberg_type *type)
{
    strbuf_add_text(out, "{\"type\":\"struct\",\"schema-id\":0,");
    iceberg_type_print_fields(out, type);
    strbuf_add_byte(out, '}');
}

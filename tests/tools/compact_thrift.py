# SPDX-License-Identifier: Apache-2.0
"""Thrift's compact protocol as Python values, so that tests can change any field of a Parquet footer.

A struct is [(id, type, value)…] in the order of the bytes, a list (element type, [value…]), a map
(key type, value type, [(key, value)…]); numbers are ints, binaries bytes. decode() gives the value
and where it ends; encode() of that is the same bytes, where they were written the shortest way.
"""
import struct

STOP, TRUE, FALSE, I8, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)


def put_varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def put_zigzag(value):
    return put_varint(value << 1 ^ value >> 63)


def get_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def get_zigzag(data, at):
    value, at = get_varint(data, at)
    return value >> 1 ^ -(value & 1), at


def get_struct(data, at):
    fields, last = [], 0
    while data[at] != STOP:
        delta, kind = data[at] >> 4, data[at] & 15
        at += 1
        if delta:
            last += delta
        else:
            last, at = get_zigzag(data, at)
        value, at = (kind == TRUE, at) if kind in (TRUE, FALSE) else get_value(data, at, kind)
        fields.append((last, kind, value))
    return fields, at + 1


def get_list(data, at):
    head = data[at]
    kind, count, at = head & 15, head >> 4, at + 1
    if count == 15:
        count, at = get_varint(data, at)
    items = []
    for _ in range(count):
        value, at = (data[at] == TRUE, at + 1) if kind in (TRUE, FALSE) else get_value(data, at, kind)
        items.append(value)
    return (kind, items), at


def get_map(data, at):
    count, at = get_varint(data, at)
    if count == 0:
        return (BINARY, BINARY, []), at
    kinds, at, pairs = data[at], at + 1, []
    for _ in range(count):
        key, at = get_value(data, at, kinds >> 4)
        value, at = get_value(data, at, kinds & 15)
        pairs.append((key, value))
    return (kinds >> 4, kinds & 15, pairs), at


def get_value(data, at, kind):
    if kind == I8:
        return struct.unpack_from("b", data, at)[0], at + 1
    if kind in (I16, I32, I64):
        return get_zigzag(data, at)
    if kind == DOUBLE:
        return struct.unpack_from("<d", data, at)[0], at + 8
    if kind == BINARY:
        size, at = get_varint(data, at)
        return bytes(data[at:at + size]), at + size
    if kind in (LIST, SET):
        return get_list(data, at)
    return get_map(data, at) if kind == MAP else get_struct(data, at)


def put_struct(fields):
    out, last = bytearray(), 0
    for number, kind, value in fields:
        kind = (TRUE if value else FALSE) if kind in (TRUE, FALSE) else kind
        delta = number - last
        out += bytes([delta << 4 | kind]) if 0 < delta < 16 else bytes([kind]) + put_zigzag(number)
        last = number
        out += b"" if kind in (TRUE, FALSE) else put_value(kind, value)
    return bytes(out) + b"\0"


def put_list(kind, items, count=None):
    """`count`: what is said instead of how many there are."""
    count = len(items) if count is None else count
    head = bytes([count << 4 | kind]) if 0 <= count < 15 else bytes([0xf0 | kind]) + put_varint(count)
    return head + b"".join(bytes([TRUE if x else FALSE]) if kind in (TRUE, FALSE) else put_value(kind, x)
                           for x in items)


def put_value(kind, value):
    if isinstance(value, Raw):
        return value.bytes
    if kind == I8:
        return struct.pack("b", value)
    if kind in (I16, I32, I64):
        return put_zigzag(value)
    if kind == DOUBLE:
        return struct.pack("<d", value)
    if kind == BINARY:
        return put_varint(len(value)) + value
    if kind in (LIST, SET):
        return put_list(*value)
    if kind == MAP:
        pairs = b"".join(put_value(value[0], k) + put_value(value[1], v) for k, v in value[2])
        return put_varint(len(value[2])) + (bytes([value[0] << 4 | value[1]]) + pairs if value[2] else b"")
    return put_struct(value)


class Raw:
    """Bytes that stand where a value would: what no right value encodes to."""

    def __init__(self, data):
        self.bytes = data


def find(fields, number):
    return next((value for n, _, value in fields if n == number), None)


def changed(fields, number, kind, value):
    """The struct with that field set (None: left out), in order."""
    rest = [x for x in fields if x[0] != number]
    return sorted(rest + ([] if value is None else [(number, kind, value)]), key=lambda x: x[0])


def parquet_footer(data):
    """(the bytes in front of the footer, the footer as a struct)"""
    size = int.from_bytes(data[-8:-4], "little")
    return data[:-8 - size], get_struct(data[-8 - size:-8], 0)[0]


def parquet_file(front, footer):
    """The file with that footer, a struct or bytes."""
    encoded = footer if isinstance(footer, bytes) else put_struct(footer)
    return front + encoded + len(encoded).to_bytes(4, "little") + b"PAR1"

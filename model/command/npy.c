/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file begins with "\x93NUMPY", a version of two bytes, the header's length
 * (two bytes in version 1, else four, the lowest first) and the header: a
 * dictionary of Python's, such as
 *
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 4), }
 */
#include "model/command/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { magic_size = 6, most_header = 65536, alignment = 64 };

static const struct {
    char code[3];
    dnnl_cache_model_type_t type;
} types[] = {{"f4", dnnl_cache_model_type_f32},
        {"f8", dnnl_cache_model_type_f64}, {"f2", dnnl_cache_model_type_f16},
        {"i4", dnnl_cache_model_type_s32}, {"i8", dnnl_cache_model_type_s64},
        {"i1", dnnl_cache_model_type_s8}, {"u1", dnnl_cache_model_type_u8},
        {"i2", dnnl_cache_model_type_s16}, {"u2", dnnl_cache_model_type_u16},
        {"u4", dnnl_cache_model_type_u32},
        {"b1", dnnl_cache_model_type_boolean}};

enum { type_count = sizeof types / sizeof *types };

bool npy_is(const uint8_t *bytes, size_t size)
{
    return size >= magic_size && memcmp(bytes, magic, magic_size) == 0;
}

/* ---- The header ---------------------------------------------------------- */

struct header {
    const char *at, *end;
    bool has_type, has_order, has_shape;
    bool is_fortran, is_swapped;
};

static void skip_spaces(struct header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n'))
        h->at++;
}

/* The next character that is no space, if it is this one. */
static bool take(struct header *h, char c)
{
    skip_spaces(h);
    if (h->at == h->end || *h->at != c) return false;
    h->at++;
    return true;
}

static bool take_word(struct header *h, const char *word)
{
    const size_t size = strlen(word);
    skip_spaces(h);
    if ((size_t)(h->end - h->at) < size || memcmp(h->at, word, size) != 0)
        return false;
    h->at += size;
    return true;
}

/* 'text' or "text" of at most 15 characters. */
static bool take_text(struct header *h, char text[16])
{
    size_t size = 0;
    skip_spaces(h);
    if (h->at == h->end || (*h->at != '\'' && *h->at != '"')) return false;
    const char quote = *h->at++;
    for (; h->at < h->end && *h->at != quote; h->at++) {
        if (size == 15 || *h->at == '\\') return false;
        text[size++] = *h->at;
    }
    text[size] = '\0';
    return take(h, quote);
}

static bool take_type(struct header *h, struct value *value)
{
    char text[16];
    if (h->has_type || !take_text(h, text)) return false;
    if (strlen(text) != 3 || strchr("<>=|", text[0]) == NULL) return false;
    for (int i = 0; i < type_count && !h->has_type; i++)
        if (strcmp(text + 1, types[i].code) == 0) {
            value->type = types[i].type;
            h->has_type = true;
        }
    h->is_swapped = text[0] == '>';
    /* One byte has no order. */
    return h->has_type && (text[0] != '|' || text[2] == '1');
}

static bool take_dimension(struct header *h, int64_t *dim)
{
    *dim = 0;
    skip_spaces(h);
    if (h->at == h->end || *h->at < '0' || *h->at > '9') return false;
    for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++) {
        if (*dim > INT64_MAX / 10 - 1) return false;
        *dim = *dim * 10 + (*h->at - '0');
    }
    return true;
}

static bool take_shape(struct header *h, struct value *value)
{
    if (h->has_shape || !take(h, '(')) return false;
    while (!take(h, ')')) {
        if (value->ndims == value_max_ndims
                || !take_dimension(h, &value->dims[value->ndims++]))
            return false;
        if (!take(h, ',')) {
            /* Python's tuple of one element needs a comma. */
            if (value->ndims < 2 || !take(h, ')')) return false;
            break;
        }
    }
    return h->has_shape = true;
}

static bool take_order(struct header *h)
{
    if (h->has_order) return false;
    h->is_fortran = take_word(h, "True");
    return h->has_order = h->is_fortran || take_word(h, "False");
}

static bool parse_header(struct header *h, struct value *value)
{
    char key[16];
    if (!take(h, '{')) return false;
    while (!take(h, '}')) {
        if (!take_text(h, key) || !take(h, ':')) return false;
        if (strcmp(key, "descr") == 0) {
            if (!take_type(h, value)) return false;
        } else if (strcmp(key, "fortran_order") == 0) {
            if (!take_order(h)) return false;
        } else if (strcmp(key, "shape") != 0 || !take_shape(h, value)) {
            return false;
        }
        if (take(h, ',')) continue;
        if (!take(h, '}')) return false;
        break;
    }
    skip_spaces(h);
    return h->at == h->end && h->has_type && h->has_order && h->has_shape;
}

/* ---- Elements ------------------------------------------------------------ */

static void swap(uint8_t *element, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        const uint8_t other = element[i];
        element[i] = element[size - 1 - i];
        element[size - 1 - i] = other;
    }
}

/* From an order in which the first dimension is innermost. */
static void reorder(const struct value *value, const uint8_t *from, size_t size)
{
    int64_t at[value_max_ndims] = {0};
    int64_t strides[value_max_ndims];
    int64_t stride = 1;
    uint8_t *to = value->data;
    for (int d = 0; d < value->ndims; d++) {
        strides[d] = stride;
        stride *= value->dims[d];
    }
    for (size_t done = 0; done < value->size; done += size) {
        int64_t place = 0;
        for (int d = 0; d < value->ndims; d++)
            place += at[d] * strides[d];
        memcpy(to + done, from + (size_t)place * size, size);
        for (int d = value->ndims - 1; d >= 0; d--) {
            if (++at[d] < value->dims[d]) break;
            at[d] = 0;
        }
    }
}

static bool read_elements(struct value *value, const struct header *h,
        const uint8_t *bytes, size_t size, struct failure *failure)
{
    uint64_t count;
    const size_t one = dnnl_cache_model_type_size(value->type);
    if (!value_count(value->ndims, value->dims, &count) || count * one != size)
        return fail(failure,
                "%zu bytes of elements, which is not what its shape needs",
                size);
    if (!value_allocate(value, failure)) return false;
    /* Other dimensions of an empty array may be of any size. */
    if (h->is_fortran && size > 0)
        reorder(value, bytes, one);
    else
        memcpy(value->data, bytes, size);
    for (size_t i = 0; h->is_swapped && i < size; i += one)
        swap((uint8_t *)value->data + i, one);
    return true;
}

bool npy_parse(struct value *value, const uint8_t *bytes, size_t size,
        struct failure *failure)
{
    struct value read = {0};
    if (!npy_is(bytes, size) || size < magic_size + 4)
        return fail(failure, "not an array of NumPy");
    const unsigned version = bytes[magic_size];
    const size_t wide = version == 1 ? 2 : 4;
    if (version < 1 || version > 3)
        return fail(failure, "an array of NumPy's version %u, 1 to 3 are known",
                version);
    const size_t begin = magic_size + 2 + wide;
    if (size < begin) return fail(failure, "the header is cut off");
    size_t length = 0;
    for (size_t i = wide; i > 0; i--)
        length = length << 8 | bytes[magic_size + 1 + i];
    if (length > most_header || length > size - begin)
        return fail(failure, "the header is cut off");
    struct header h = {.at = (const char *)bytes + begin,
            .end = (const char *)bytes + begin + length};
    if (!parse_header(&h, &read))
        return fail(failure,
                "a header that is not read: elements must be float16, float32, "
                "float64, bool or integers (not uint64), dimensions at most "
                "%d",
                (int)value_max_ndims);
    if (!read_elements(&read, &h, bytes + begin + length, size - begin - length,
                failure)) {
        value_fini(&read);
        return false;
    }
    *value = read;
    return true;
}

/* ---- Writing ------------------------------------------------------------- */

static const char *type_code(dnnl_cache_model_type_t type)
{
    for (int i = 0; i < type_count; i++)
        if (types[i].type == type) return types[i].code;
    return "f4";
}

uint8_t *npy_format(const struct value *value, size_t *size)
{
    char header[512];
    const char *code = type_code(value->type);
    int n = snprintf(header, sizeof header,
            "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
            code[1] == '1' ? '|' : '<', code);
    for (int d = 0; d < value->ndims; d++)
        n += snprintf(header + n, sizeof header - (size_t)n, "%s%lld",
                d > 0 ? ", " : "", (long long)value->dims[d]);
    n += snprintf(header + n, sizeof header - (size_t)n, "%s), }",
            value->ndims == 1 ? "," : "");
    /* Elements begin at a multiple of 64, behind a new line. */
    const size_t begin = magic_size + 4;
    const size_t padded =
            (begin + (size_t)n + 1 + alignment - 1) / alignment * alignment;
    *size = padded + value->size;
    uint8_t *bytes = malloc(*size);
    if (bytes == NULL) return NULL;
    const size_t length = padded - begin;
    memcpy(bytes, magic, magic_size);
    bytes[6] = 1;
    bytes[7] = 0;
    bytes[8] = (uint8_t)(length & 0xff);
    bytes[9] = (uint8_t)(length >> 8);
    memset(bytes + begin, ' ', length);
    memcpy(bytes + begin, header, (size_t)n);
    bytes[padded - 1] = '\n';
    memcpy(bytes + padded, value->data, value->size);
    return bytes;
}

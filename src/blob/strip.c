/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/strip.h"

#include "src/blob/format.h"
#include "src/common/byte_order.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

dnnl_status_t blob_refuse(struct blob_reason *reason, dnnl_status_t status,
        const char *format, ...)
{
    if (reason == NULL) return status;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason->text, sizeof reason->text, format, args);
    va_end(args);
    return status;
}

dnnl_status_t strip_take(struct strip *s, uint32_t index, uint64_t offset,
        uint64_t size, struct blob_reason *reason)
{
    size_t left = s->size - s->at;
    size_t padding = (0 - s->at) % FORMAT_ALIGNMENT;
    if (padding > left)
        return CORRUPT("%s %" PRIu32 ": starts past the end", s->name, index);
    if (offset != s->at + padding)
        return CORRUPT("%s %" PRIu32 ": offset %" PRIu64 ", not %zu", s->name,
                index, offset, s->at + padding);
    for (size_t i = 0; i < padding; i++)
        if (s->base[s->at + i] != 0)
            return CORRUPT("%s %" PRIu32 ": padding before it is not zero",
                    s->name, index);
    left -= padding;
    if (size == 0 || size > left)
        return CORRUPT("%s %" PRIu32 ": length %" PRIu64 ", %zu left", s->name,
                index, size, left);
    s->at += padding + (size_t)size;
    return dnnl_success;
}

dnnl_status_t strip_take_optional(struct strip *s, uint32_t index,
        uint64_t offset, uint64_t size, struct blob_reason *reason)
{
    if (offset == 0 && size == 0) return dnnl_success;
    return strip_take(s, index, offset, size, reason);
}

dnnl_status_t strip_take_text(struct strip *s, uint32_t index, uint64_t offset,
        uint64_t size, struct blob_reason *reason)
{
    /* A size of UINT64_MAX becomes 0, which is refused as well. */
    uint64_t with_nul = size + 1;
    if (size == 0) with_nul = 0;
    dnnl_status_t st = strip_take(s, index, offset, with_nul, reason);
    if (st == dnnl_success && s->base[s->at - 1] != 0)
        return CORRUPT("%s %" PRIu32 ": no NUL at its end", s->name, index);
    return st;
}

dnnl_status_t strip_end(const struct strip *s, struct blob_reason *reason)
{
    if (s->at == s->size) return dnnl_success;
    return CORRUPT("%zu bytes behind the last %s", s->size - s->at, s->name);
}

dnnl_status_t strip_table(const uint8_t *data, size_t size, const char *what,
        uint32_t limit, size_t entry_size, uint32_t *count,
        struct blob_reason *reason)
{
    if (size < format_table_header_size)
        return CORRUPT("%zu bytes are no %s table", size, what);
    uint32_t n = load_le32(data);
    uint32_t reserved = load_le32(data + 4);
    if (n == 0 || n > limit
            || n > (size - format_table_header_size) / entry_size)
        return CORRUPT("%" PRIu32 " %ss in %zu bytes", n, what, size);
    if (reserved != 0)
        return CORRUPT("%s table: reserved word %" PRIu32, what, reserved);
    *count = n;
    return dnnl_success;
}

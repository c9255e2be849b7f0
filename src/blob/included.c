/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/included.h"

#include "src/blob/format.h"
#include "src/blob/strip.h"
#include "src/common/byte_order.h"

#include <inttypes.h>
#include <string.h>

/* A name that begins with a slash would be a place. */
static bool name_is_good(const char *name, size_t size)
{
    return size > 0 && size <= BLOB_MAX_FILE_NAME_SIZE && name[0] != '/'
           && memchr(name, '\0', size) == NULL;
}

/* ---- Writing ------------------------------------------------------------- */

static const char *without_place(const char *name)
{
    const char *slash = name[0] == '/' ? strrchr(name, '/') : NULL;
    return slash != NULL ? slash + 1 : name;
}

static void append_file(struct buffer *section, const char *name, size_t size,
        const uint8_t *digest)
{
    uint8_t head[format_included_file_size];
    memcpy(head + format_included_at_digest, digest, included_digest_size);
    store_le16(head + format_included_at_name_size, (uint16_t)size);
    buffer_append(section, head, sizeof head);
    buffer_append(section, name, size + 1);
}

bool included_append(struct buffer *section, const char *name,
        const uint8_t digest[included_digest_size])
{
    uint8_t head[format_table_header_size] = {0};
    const uint32_t count = section->size > 0 ? load_le32(section->data) : 0;
    name = without_place(name);
    const size_t size = strlen(name);
    if (count == BLOB_MAX_FILES || !name_is_good(name, size)) return false;
    if (count == 0) buffer_append(section, head, sizeof head);
    append_file(section, name, size, digest);
    if (buffer_status(section) == dnnl_success)
        store_le32(section->data, count + 1);
    return true;
}

/* ---- Reading ------------------------------------------------------------- */

static dnnl_status_t check_file(uint32_t index, size_t *at, const uint8_t *data,
        size_t size, struct blob_reason *reason)
{
    const size_t left = size - *at;
    if (left < format_included_file_size)
        return CORRUPT(
                "included file %" PRIu32 ": %zu bytes left", index, left);
    const uint8_t *head = data + *at;
    const size_t name_size = load_le16(head + format_included_at_name_size);
    const char *name = (const char *)head + format_included_file_size;
    if (left - format_included_file_size <= name_size)
        return CORRUPT("included file %" PRIu32 ": a name of %zu bytes, %zu "
                       "left",
                index, name_size, left - format_included_file_size);
    if (name[name_size] != '\0' || !name_is_good(name, name_size))
        return CORRUPT("included file %" PRIu32 ": its name is none", index);
    *at += format_included_file_size + name_size + 1;
    return dnnl_success;
}

dnnl_status_t included_check(
        const uint8_t *data, size_t size, struct blob_reason *reason)
{
    if (size < format_table_header_size)
        return CORRUPT("%zu bytes of included files", size);
    const uint32_t count = load_le32(data);
    const uint32_t reserved = load_le32(data + 4);
    if (count == 0 || count > BLOB_MAX_FILES || reserved != 0)
        return CORRUPT("%" PRIu32 " included files, reserved word %" PRIu32,
                count, reserved);
    size_t at = format_table_header_size;
    for (uint32_t i = 0; i < count; i++) {
        const dnnl_status_t st = check_file(i, &at, data, size, reason);
        if (st != dnnl_success) return st;
    }
    if (at == size) return dnnl_success;
    return CORRUPT("%zu bytes behind the included files", size - at);
}

bool included_next(struct included_file *file, size_t *at, const uint8_t *data,
        size_t size)
{
    if (*at == 0) *at = format_table_header_size;
    if (*at >= size) return false;
    const uint8_t *head = data + *at;
    file->digest = head + format_included_at_digest;
    file->name_size = load_le16(head + format_included_at_name_size);
    file->name = (const char *)head + format_included_file_size;
    *at += format_included_file_size + file->name_size + 1;
    return true;
}

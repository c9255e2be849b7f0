/* SPDX-License-Identifier: Apache-2.0 */
#include "repair_journal.h"

#include "src/common/byte_order.h"
#include "stores/journal/journal_format.h"

#include <string.h>
#include <xxhash.h>

/* The fields before the origin or the arguments, from which the key of a launch
 * or a kernel is made. */
static size_t launch_size(size_t size, const uint8_t *fields)
{
    enum { field_origin = 2, field_arguments = 36 };
    size_t at = 0;
    while (size - at >= 8 && load_le32(fields + at) != field_origin
            && load_le32(fields + at) != field_arguments
            && load_le32(fields + at + 4) <= size - at - 8)
        at += 8 + load_le32(fields + at + 4);
    return at;
}

/* Makes the heads right of records whose bytes are there, and the key of a
 * build that of its first field, which is the ID, and the key of a launch. */
void repair_journal(size_t size, uint8_t *data)
{
    static const uint8_t head[] = {
            'd', 'n', 'n', 'l', 'c', 'j', 'n', 'l', 1, 0, 0, 0};
    size_t at = journal_head_size;
    if (size < at) return;
    memcpy(data, head, sizeof head);
    while (size - at >= journal_record_head_size) {
        uint8_t *record = data + at;
        const size_t most = size - at - journal_record_head_size;
        const uint64_t told = load_le64(record + 8);
        const size_t payload = told < most ? (size_t)told : most;
        const uint8_t *fields = record + journal_record_head_size;
        memcpy(record, "dnjr", 4);
        store_le64(record + 8, payload);
        if (load_le32(record + 4) == journal_build && payload > 8
                && load_le32(fields + 4) <= payload - 8)
            store_le64(
                    record + 16, XXH3_64bits_withSeed(fields + 8,
                                         load_le32(fields + 4), journal_build));
        if (load_le32(record + 4) == journal_launch
                || load_le32(record + 4) == journal_kernel)
            store_le64(record + 16,
                    XXH3_64bits_withSeed(fields, launch_size(payload, fields),
                            load_le32(record + 4)));
        store_le64(record + 32,
                XXH3_64bits_withSeed(fields, payload, XXH3_64bits(record, 32)));
        at += journal_record_head_size + payload;
    }
}

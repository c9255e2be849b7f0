/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/pocl_stand_in.h"

#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"

#include <string.h>

/* With its NUL. */
static const char mark[] = "dnnl_cache: no code is here";

static bool is_stand_in(const struct pocl_file *file)
{
    return file->size >= sizeof mark
           && memcmp(file->data + file->size - sizeof mark, mark, sizeof mark)
                      == 0;
}

/* Moves a part to where the parts before it end. */
static void keep(
        uint8_t *binary, size_t *end, const uint8_t *part, size_t part_size)
{
    memmove(binary + *end, part, part_size);
    *end += part_size;
}

static void keep_kernel(
        uint8_t *binary, size_t *end, const struct pocl_kernel *kernel)
{
    struct pocl_files files = kernel->files;
    struct pocl_file file;
    const size_t start = *end;
    keep(binary, end, kernel->head, kernel->head_size);
    while (pocl_files_next(&files, &file))
        if (!is_stand_in(&file))
            keep(binary, end, file.record, file.record_size);
    store_le64(binary + start, *end - start);
    store_le64(binary + start + 8, *end - start - kernel->head_size);
}

bool pocl_stand_ins_remove(uint8_t *binary, size_t *size)
{
    struct pocl_layout layout;
    struct pocl_kernel kernel;
    size_t at = 0;
    if (memmem(binary, *size, mark, sizeof mark) == NULL) return true;
    if (!pocl_layout_read(&layout, binary, *size)) return false;
    size_t end = layout.files_at + layout.files_size;
    /* What is read is never before what is written. */
    for (uint32_t i = 0; i < layout.kernel_count; i++)
        if (pocl_layout_kernel(&layout, &at, &kernel))
            keep_kernel(binary, &end, &kernel);
    *size = end;
    return true;
}

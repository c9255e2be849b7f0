/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/pocl_add.h"

#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"

#include <stdio.h>
#include <string.h>

enum { most_name = 200, most_path = 3 * most_name + 8 };

/* The file's name in a binary; false: it is not a name that PoCL gives. */
static bool write_path(char path[most_path], const struct pocl_code *code)
{
    const size_t kernel_size = strlen(code->kernel);
    const size_t class_size = strlen(code->launch_class);
    if (kernel_size == 0 || kernel_size > most_name || class_size == 0
            || class_size > most_name || strchr(code->kernel, '/') != NULL
            || strchr(code->launch_class, '/') != NULL || code->size == 0
            || code->size > UINT32_MAX)
        return false;
    return snprintf(path, most_path, "/%s/%s/%s.so", code->kernel,
                   code->launch_class, code->kernel)
           < most_path;
}

/* The name is followed by NULs. */
static bool is_of_folder(const struct pocl_layout *layout, const char *folder)
{
    const size_t size = strlen(folder);
    return size > 0 && size < pocl_name_size
           && memcmp(layout->binary + layout->name_at, folder, size + 1) == 0;
}

static bool find_kernel(const struct pocl_layout *layout, const char *name,
        struct pocl_kernel *kernel)
{
    size_t at = 0;
    for (uint32_t i = 0; i < layout->kernel_count; i++)
        if (pocl_layout_kernel(layout, &at, kernel)
                && kernel->name_size == strlen(name)
                && memcmp(kernel->name, name, kernel->name_size) == 0)
            return true;
    return false;
}

static bool has_file(const struct pocl_kernel *kernel, const char *path)
{
    struct pocl_files files = kernel->files;
    struct pocl_file file;
    while (pocl_files_next(&files, &file))
        if (file.name_size == strlen(path)
                && memcmp(file.name, path, file.name_size) == 0)
            return true;
    return false;
}

/* Behind the kernel's other files, and both of the kernel's sizes. */
static void put_file(struct buffer *out, const struct pocl_layout *layout,
        const struct pocl_kernel *kernel, const char *path,
        const struct pocl_code *code)
{
    const size_t start = out->size;
    const size_t head_at = (size_t)(kernel->head - layout->binary);
    const size_t end_at = head_at + kernel->head_size + kernel->files.left;
    const uint64_t more = 8 + strlen(path) + code->size;
    buffer_append(out, layout->binary, end_at);
    buffer_append_u32(out, (uint32_t)strlen(path));
    buffer_append(out, path, strlen(path));
    buffer_append_u32(out, (uint32_t)code->size);
    buffer_append(out, code->data, code->size);
    buffer_append(out, layout->binary + end_at, layout->size - end_at);
    if (out->failed) return;
    uint8_t *head = out->data + start + head_at;
    store_le64(head, load_le64(head) + more);
    store_le64(head + 8, load_le64(head + 8) + more);
}

dnnl_status_t pocl_add_code(const uint8_t *binary, size_t size,
        const struct pocl_code *code, struct buffer *out)
{
    char path[most_path];
    struct pocl_layout layout;
    struct pocl_kernel kernel;
    if (!write_path(path, code) || !pocl_layout_read(&layout, binary, size)
            || !layout.is_executable || !is_of_folder(&layout, code->folder)
            || !find_kernel(&layout, code->kernel, &kernel))
        return dnnl_unimplemented;
    if (has_file(&kernel, path))
        buffer_append(out, binary, size);
    else
        put_file(out, &layout, &kernel, path, code);
    return buffer_status(out);
}

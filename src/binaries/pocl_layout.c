/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/pocl_layout.h"

#include "src/common/byte_order.h"

#include <string.h>

static const char magic[8] = "poclbin";

/* Head: magic, device (8 bytes), version (4), kernels (4), flags (8), from
 * layout 9 the number of entries (4), the name, and from layout 10 the size of
 * variables (8) if a flag says so. */
enum {
    version_at = 16,
    kernels_at = 20,
    flags_at = 24,
    entries_at = 32,
    least_size = 20,
    has_variables_flag = 2,
    executable = 4, /* CL_PROGRAM_BINARY_TYPE_EXECUTABLE */
    /* A kernel: its size (8), that of its files (8) and of its arguments (4),
     * and its name. */
    kernel_name_at = 20
};

bool pocl_layout_is(const uint8_t *binary, size_t size)
{
    return size >= least_size && memcmp(binary, magic, sizeof magic) == 0;
}

/* Versions of the layout whose heads were compared: 8 is PoCL 1.8 and 3.0, 9 is
 * 3.1, 11 is 4.0 to 7.1, 12 is 7.2. */
size_t pocl_layout_name(const uint8_t *binary, size_t size)
{
    size_t at;
    switch (load_le32(binary + version_at)) {
    case 8:
        at = entries_at;
        break;
    case 9:
    case 11:
    case 12:
        at = entries_at + 4;
        break;
    default:
        return 0;
    }
    return size >= at + pocl_name_size ? at : 0;
}

/* ---- Files --------------------------------------------------------------- */

/* A number of 32 bits, and so many bytes. */
static bool take_text(const struct pocl_files *files, size_t at,
        const uint8_t **text, size_t *size)
{
    if (files->left < at || files->left - at < 4) return false;
    *size = load_le32(files->at + at);
    *text = files->at + at + 4;
    return *size <= files->left - at - 4;
}

bool pocl_files_next(struct pocl_files *files, struct pocl_file *file)
{
    const uint8_t *name;
    struct pocl_file now = {.record = files->at};
    if (!take_text(files, 0, &name, &now.name_size)
            || !take_text(files, 4 + now.name_size, &now.data, &now.size))
        return false;
    now.name = (const char *)name;
    now.record_size = 8 + now.name_size + now.size;
    files->at += now.record_size;
    files->left -= now.record_size;
    *file = now;
    return true;
}

/* True if nothing but files is there. */
static bool are_files(struct pocl_files files)
{
    struct pocl_file file;
    while (files.left > 0)
        if (!pocl_files_next(&files, &file) || file.name_size == 0)
            return false;
    return true;
}

bool pocl_files_of_program(
        const struct pocl_layout *layout, struct pocl_files *files)
{
    const size_t size_of_size = layout->version >= 9 ? 8 : 0;
    if (layout->entry_count != 1) return false;
    files->at = layout->binary + layout->files_at + size_of_size;
    files->left = layout->files_size - size_of_size;
    return true;
}

/* Starts with the kernel's folder, ends with its object, and has one name
 * between. */
bool pocl_file_is_code(const struct pocl_file *file,
        const struct pocl_kernel *kernel, bool *is_generic)
{
    static const char generic[] = "0-0-0";
    static const char suffix[] = ".so";
    const size_t n = kernel->name_size;
    const size_t ends = 2 * n + 6; /* '/' NAME '/' and '/' NAME ".so" */
    const char *name = file->name;
    if (file->name_size <= ends) return false;
    const size_t length = file->name_size - ends;
    const char *middle = name + n + 2;
    const char *end = middle + length;
    *is_generic = length == sizeof generic - 1
                  && memcmp(middle, generic, length) == 0;
    return name[0] == '/' && memcmp(name + 1, kernel->name, n) == 0
           && name[n + 1] == '/' && memchr(middle, '/', length) == NULL
           && end[0] == '/' && memcmp(end + 1, kernel->name, n) == 0
           && memcmp(end + 1 + n, suffix, sizeof suffix - 1) == 0;
}

/* ---- The whole ----------------------------------------------------------- */

bool pocl_layout_kernel(const struct pocl_layout *layout, size_t *at,
        struct pocl_kernel *kernel)
{
    const size_t start = *at != 0 ? *at : layout->files_at + layout->files_size;
    const uint8_t *head = layout->binary + start;
    const size_t left = layout->size - start;
    if (left < kernel_name_at + 4) return false;
    const uint64_t whole = load_le64(head);
    const uint64_t files = load_le64(head + 8);
    const uint32_t name = load_le32(head + kernel_name_at);
    if (whole > left || files > whole) return false;
    const size_t head_size = (size_t)(whole - files);
    if (head_size < kernel_name_at + 4 || name > head_size - kernel_name_at - 4)
        return false;
    *kernel = (struct pocl_kernel){.head = head,
            .head_size = head_size,
            .name = (const char *)head + kernel_name_at + 4,
            .name_size = name,
            .files = {head + head_size, (size_t)files}};
    *at = start + (size_t)whole;
    return true;
}

static bool are_kernels(const struct pocl_layout *layout)
{
    struct pocl_kernel kernel;
    size_t at = 0;
    for (uint32_t i = 0; i < layout->kernel_count; i++)
        if (!pocl_layout_kernel(layout, &at, &kernel) || kernel.name_size == 0
                || !are_files(kernel.files))
            return false;
    return layout->kernel_count > 0 && at == layout->size;
}

/* Sizes of the entries with the files of the program. Before layout 9 there is
 * one file, without the size of all. */
static bool read_files(struct pocl_layout *layout)
{
    struct pocl_files rest = {
            layout->binary + layout->files_at, layout->size - layout->files_at};
    struct pocl_file file;
    if (layout->version < 9) {
        if (!pocl_files_next(&rest, &file)) return false;
        layout->files_size = file.record_size;
        return true;
    }
    for (uint32_t i = 0; i < layout->entry_count; i++) {
        if (rest.left < 8) return false;
        const uint64_t size = load_le64(rest.at);
        if (size > rest.left - 8) return false;
        if (!are_files((struct pocl_files){rest.at + 8, (size_t)size}))
            return false;
        rest.at += 8 + (size_t)size;
        rest.left -= 8 + (size_t)size;
    }
    layout->files_size = layout->size - layout->files_at - rest.left;
    return true;
}

bool pocl_layout_read(
        struct pocl_layout *layout, const uint8_t *binary, size_t size)
{
    if (!pocl_layout_is(binary, size)) return false;
    struct pocl_layout now = {.binary = binary,
            .size = size,
            .version = load_le32(binary + version_at),
            .name_at = pocl_layout_name(binary, size),
            .entry_count = 1};
    if (now.name_at == 0) return false;
    const uint64_t flags = load_le64(binary + flags_at);
    now.kernel_count = load_le32(binary + kernels_at);
    now.is_executable =
            (now.version < 9 ? flags >> 1 : flags >> 32) == executable;
    now.files_at = now.name_at + pocl_name_size;
    if (now.version >= 9) now.entry_count = load_le32(binary + entries_at);
    if (now.version >= 10 && (flags & has_variables_flag) != 0) {
        if (size - now.files_at < 8) return false;
        now.has_variables = load_le64(binary + now.files_at) != 0;
        now.files_at += 8;
    }
    if (!read_files(&now) || !are_kernels(&now)) return false;
    *layout = now;
    return true;
}

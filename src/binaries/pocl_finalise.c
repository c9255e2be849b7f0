/* SPDX-License-Identifier: Apache-2.0 */
#include "src/binaries/pocl_finalise.h"

#include "src/binaries/elf_shrink.h"
#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Whose it is --------------------------------------------------------- */

/* What PoCL says after "OpenCL 3.0 ". docs/how_it_works/finalisers.md has what
 * was tested with each. */
static const char *const tested[] = {
        "PoCL 3.0", "PoCL 3.0-rc2", "PoCL 3.1", "PoCL 6.0", "PoCL 7.1"};

/* PoCL requires a file of the program; it looks for no file of this name. */
static const char stand_in[] = "/final";

/* Is it this version, or a distribution's build of it ("3.1+debian")? What
 * comes before a release ("7.1-pre") is another version. */
static bool is_version(const char *text, const char *version)
{
    const size_t length = strlen(version);
    if (strncmp(text, version, length) != 0) return false;
    text += length;
    if (*text == '.') text += strspn(text, ".0123456789");
    return *text == '\0' || *text == ' ' || *text == '+';
}

bool pocl_finalise_is_tested(const char *platform_version)
{
    const char *at = strstr(platform_version, "PoCL ");
    for (size_t i = 0; at != NULL && i < sizeof tested / sizeof *tested; i++)
        if (is_version(at, tested[i])) return true;
    return false;
}

/* ---- What is in a binary ------------------------------------------------- */

/* The only file of the program; false if there are others, or not that one. */
static bool find_file(const struct pocl_layout *layout, struct pocl_file *file)
{
    struct pocl_files files;
    return pocl_files_of_program(layout, &files)
           && pocl_files_next(&files, file) && files.left == 0;
}

static bool has_name(const struct pocl_file *file, const char *name)
{
    return file->name_size == strlen(name)
           && memcmp(file->name, name, file->name_size) == 0;
}

/* NULL: the kernel can do without intermediate code. */
static const char *find_missing(
        const struct pocl_kernel *kernel, bool all_launches)
{
    struct pocl_files files = kernel->files;
    struct pocl_file file;
    bool has_generic = false;
    bool has_class = false;
    while (pocl_files_next(&files, &file)) {
        bool is_generic;
        if (!pocl_file_is_code(&file, kernel, &is_generic))
            return "a kernel has a file that is not known";
        if (is_generic)
            has_generic = true;
        else
            has_class = true;
    }
    if (all_launches && !has_generic)
        return "a kernel has no code for all launches";
    return has_class ? NULL : "a kernel was never launched";
}

/* ---- Made ---------------------------------------------------------------- */

static void put_file(struct buffer *out, const char *name, size_t name_size,
        const uint8_t *data, size_t size)
{
    buffer_append_u32(out, (uint32_t)name_size);
    buffer_append(out, name, name_size);
    const size_t size_at = out->size;
    buffer_append_u32(out, 0);
    elf_shrink(data, size, out);
    if (!out->failed)
        store_le32(out->data + size_at, (uint32_t)(out->size - size_at - 4));
}

static void put_kernel(struct buffer *out, const struct pocl_kernel *kernel)
{
    struct pocl_files files = kernel->files;
    struct pocl_file file;
    const size_t start = out->size;
    buffer_append(out, kernel->head, kernel->head_size);
    while (pocl_files_next(&files, &file))
        put_file(out, file.name, file.name_size, file.data, file.size);
    if (out->failed) return;
    const size_t size = out->size - start;
    store_le64(out->data + start, size);
    store_le64(out->data + start + 8, size - kernel->head_size);
}

static void put_all(struct buffer *out, const struct pocl_layout *layout)
{
    const size_t name_size = sizeof stand_in - 1;
    struct pocl_kernel kernel;
    size_t at = 0;
    buffer_append(out, layout->binary, layout->files_at);
    if (layout->version >= 9) buffer_append_u64(out, 8 + name_size);
    put_file(out, stand_in, name_size, NULL, 0);
    while (pocl_layout_kernel(layout, &at, &kernel))
        put_kernel(out, &kernel);
}

/* What either form must not be; NULL: it is not. */
static const char *find_fault(
        const struct pocl_layout *layout, bool all_launches)
{
    const char *why = NULL;
    struct pocl_kernel kernel;
    size_t at = 0;
    if (!layout->is_executable) return "it is to be linked";
    if (layout->has_variables) return "it has variables of program scope";
    while (why == NULL && pocl_layout_kernel(layout, &at, &kernel))
        why = find_missing(&kernel, all_launches);
    return why;
}

/* Is intermediate code the only file of the program? */
static bool has_intermediate_code(const struct pocl_layout *layout)
{
    struct pocl_file file;
    return find_file(layout, &file) && has_name(&file, "/program.bc")
           && file.size > 0;
}

dnnl_status_t pocl_finalise(const uint8_t *binary, size_t size,
        bool all_launches, struct buffer *out, struct blob_reason *reason)
{
    struct pocl_layout layout;
    const char *why = "its layout is not known";
    if (pocl_layout_read(&layout, binary, size)) {
        why = find_fault(&layout, all_launches);
        if (why == NULL && !has_intermediate_code(&layout))
            why = "it has other files than its intermediate code";
    }
    if (why != NULL) {
        snprintf(reason->text, sizeof reason->text, "%s", why);
        return dnnl_unimplemented;
    }
    put_all(out, &layout);
    return buffer_status(out);
}

/* ---- What is missing ------------------------------------------------------
 */

static bool has_generic(const struct pocl_kernel *kernel)
{
    struct pocl_files files = kernel->files;
    struct pocl_file file;
    bool is_generic = false;
    while (!is_generic && pocl_files_next(&files, &file))
        if (!pocl_file_is_code(&file, kernel, &is_generic)) is_generic = false;
    return is_generic;
}

enum pocl_code_kind pocl_finalise_look(const uint8_t *binary, size_t size)
{
    struct pocl_layout layout;
    struct pocl_kernel kernel;
    size_t at = 0;
    size_t generic = 0;
    if (!pocl_layout_read(&layout, binary, size)
            || !has_intermediate_code(&layout))
        return pocl_code_other;
    while (pocl_layout_kernel(&layout, &at, &kernel))
        generic += has_generic(&kernel);
    if (generic == layout.kernel_count)
        return generic > 0 ? pocl_code_for_all : pocl_code_other;
    return find_fault(&layout, false) == NULL ? pocl_code_of_launches
                                              : pocl_code_other;
}

/* ---- What can be loaded -------------------------------------------------- */

/* A kernel's name; none has a NUL behind it. */
struct name {
    const char *text;
    size_t size;
};

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left;
    const struct name *b = right;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return memcmp(a->text, b->text, a->size);
}

/* NULL: all of the kernels are in it. */
static const char *find_missing_kernel(const struct pocl_layout *layout,
        const char *kernels, uint32_t kernel_count)
{
    struct name *names = malloc((layout->kernel_count + 1) * sizeof *names);
    struct pocl_kernel kernel;
    const char *why = NULL;
    size_t count = 0;
    size_t at = 0;
    if (names == NULL) return "out of memory";
    while (count < layout->kernel_count
            && pocl_layout_kernel(layout, &at, &kernel))
        names[count++] = (struct name){kernel.name, kernel.name_size};
    if (count > 1) qsort(names, count, sizeof *names, compare_names);
    for (uint32_t i = 0; why == NULL && i < kernel_count; i++) {
        const struct name wanted = {kernels, strlen(kernels)};
        if (bsearch(&wanted, names, count, sizeof *names, compare_names)
                == NULL)
            why = "a kernel is not in it";
        kernels += wanted.size + 1;
    }
    free(names);
    return why;
}

bool pocl_finalise_check(const uint8_t *form, size_t size, const char *kernels,
        uint32_t kernel_count, bool all_launches, struct blob_reason *reason)
{
    struct pocl_layout layout;
    struct pocl_file file;
    const char *why = "its layout is not known";
    if (pocl_layout_read(&layout, form, size)) {
        why = find_fault(&layout, all_launches);
        if (why == NULL
                && (!find_file(&layout, &file) || !has_name(&file, stand_in)
                        || file.size != 0))
            why = "it has files of the program";
        if (why == NULL)
            why = find_missing_kernel(&layout, kernels, kernel_count);
    }
    if (why != NULL) snprintf(reason->text, sizeof reason->text, "%s", why);
    return why == NULL;
}

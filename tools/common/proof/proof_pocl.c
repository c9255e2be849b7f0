/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/proof/proof.h"

#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"
#include "tools/common/proof/proof_bitcode.h"

#include <stdio.h>
#include <string.h>

/* A kernel's head begins with sizes, which depend on its files. */
enum { sizes_at_head = 16, device_at = 8, device_size = 8 };

enum intermediate { not_known, is_same, is_other };

struct comparison {
    struct proof *proof;
    struct pocl_layout entry, again;
    size_t bare;      /* kernels of which no machine code was compared */
    size_t unmatched; /* pieces of the entry's code that the other lacks */
    enum intermediate intermediate;
};

static bool find_kernel(struct pocl_kernel *found,
        const struct pocl_layout *layout, const struct pocl_kernel *wanted)
{
    size_t at = 0;
    while (pocl_layout_kernel(layout, &at, found))
        if (found->name_size == wanted->name_size
                && memcmp(found->name, wanted->name, wanted->name_size) == 0)
            return true;
    return false;
}

static bool find_file(struct pocl_file *found, struct pocl_files files,
        const struct pocl_file *wanted)
{
    while (pocl_files_next(&files, found))
        if (found->name_size == wanted->name_size
                && memcmp(found->name, wanted->name, wanted->name_size) == 0)
            return true;
    return false;
}

/* The kernel, and the launches that the file is for. */
static void name_place(char where[160], const struct pocl_kernel *kernel,
        const struct pocl_file *file)
{
    const int size = (int)kernel->name_size;
    if (file == NULL) {
        snprintf(where, 160, "%.*s", size, kernel->name);
        return;
    }
    const size_t around = 2 * kernel->name_size + 6;
    const int class_size =
            file->name_size > around ? (int)(file->name_size - around) : 0;
    snprintf(where, 160, "%.*s %.*s", size, kernel->name, class_size,
            file->name + kernel->name_size + 2);
}

/* not_known: they differ, and one of them is no intermediate code. */
static enum intermediate compare_modules(
        const struct pocl_file *a, const struct pocl_file *b)
{
    uint64_t of_a[2], of_b[2];
    if (a->size == b->size && memcmp(a->data, b->data, a->size) == 0)
        return is_same;
    if (!proof_bitcode_digest(of_a, a->data, a->size)
            || !proof_bitcode_digest(of_b, b->data, b->size))
        return not_known;
    return memcmp(of_a, of_b, sizeof of_a) == 0 ? is_same : is_other;
}

/* The program's files, each of which the driver unpacks: the last of a name is
 * what it has then, so that one more than were made again is another program.
 * What was compiled in the process before leaves traces in intermediate code
 * (numbers of metadata), so that one that differs proves nothing: the machine
 * code that was made of it does. Have both intermediate code, and is it the
 * same? */
static void compare_intermediate(struct comparison *c)
{
    struct pocl_files of_entry, of_again, left;
    struct pocl_file a, b;
    size_t more = 0;
    if (!pocl_files_of_program(&c->entry, &of_entry)
            || !pocl_files_of_program(&c->again, &of_again))
        return;
    for (left = of_again; pocl_files_next(&left, &b);)
        more += b.size > 0;
    enum intermediate all = not_known;
    while (pocl_files_next(&of_entry, &a)) {
        if (a.size == 0) continue;
        if (more-- == 0 || !find_file(&b, of_again, &a)) return;
        all = compare_modules(&a, &b);
        if (all != is_same) break;
    }
    if (more == 0 || all != is_same) c->intermediate = all;
}

/* False: the proof says in what they differ. */
static bool compare_files(struct comparison *c,
        const struct pocl_kernel *kernel, const struct pocl_kernel *other)
{
    struct pocl_files files = kernel->files;
    struct pocl_file file, again;
    while (pocl_files_next(&files, &file)) {
        char where[sizeof c->proof->where];
        if (!find_file(&again, other->files, &file)) {
            c->unmatched++;
            continue;
        }
        const struct proof_blob a = {file.size, file.data};
        const struct proof_blob b = {again.size, again.data};
        name_place(where, kernel, &file);
        switch (proof_compare_code(&a, &b)) {
        case proof_code_same:
            c->proof->functions++;
            break;
        case proof_code_differs:
            return proof_find(c->proof,
                    c->intermediate == is_same    ? suspect_code
                    : c->intermediate == is_other ? suspect_source
                                                  : suspect_any,
                    "machine code", where);
        case proof_code_no_memory:
            c->unmatched++;
        }
    }
    return true;
}

static bool compare_kernel(
        struct comparison *c, const struct pocl_kernel *kernel)
{
    char where[sizeof c->proof->where];
    struct pocl_kernel other;
    name_place(where, kernel, NULL);
    /* Else one that is there twice would stand for one that is missing. */
    if (!find_kernel(&other, &c->entry, kernel) || other.head != kernel->head)
        return proof_find(
                c->proof, suspect_source, "a kernel is there twice", where);
    if (!find_kernel(&other, &c->again, kernel))
        return proof_find(c->proof, suspect_source,
                "a kernel that the program does not have now", where);
    if (kernel->head_size != other.head_size
            || kernel->head_size < sizes_at_head
            || memcmp(kernel->head + sizes_at_head, other.head + sizes_at_head,
                       kernel->head_size - sizes_at_head)
                       != 0)
        return proof_find(c->proof, suspect_source,
                "what a kernel's arguments are", where);
    const size_t before = c->proof->functions;
    if (!compare_files(c, kernel, &other)) return false;
    c->bare += c->proof->functions == before;
    return true;
}

static bool compare_all(struct comparison *c)
{
    struct pocl_kernel kernel;
    size_t at = 0;
    if (c->entry.version != c->again.version
            || memcmp(c->entry.binary + device_at, c->again.binary + device_at,
                       device_size)
                       != 0)
        return proof_find(c->proof, suspect_driver,
                "the binary is of another device or version of the driver", "");
    if (c->entry.kernel_count != c->again.kernel_count)
        return proof_find(
                c->proof, suspect_source, "the number of kernels", "");
    if (c->entry.is_executable != c->again.is_executable
            || c->entry.has_variables != c->again.has_variables)
        return proof_find(
                c->proof, suspect_source, "what kind of program it is", "");
    compare_intermediate(c);
    while (pocl_layout_kernel(&c->entry, &at, &kernel))
        if (!compare_kernel(c, &kernel)) return false;
    return true;
}

/* The intermediate code of a program that has no kernels yet, which is the
 * first file with any: its size is before it. */
static bool find_module(struct proof_blob *module, const struct proof_blob *b)
{
    static const uint8_t magic[] = {'B', 'C', 0xc0, 0xde};
    const uint8_t *at = memmem(b->bytes, b->size, magic, sizeof magic);
    if (at == NULL || at - b->bytes < 4) return false;
    module->bytes = at;
    module->size = load_le32(at - 4);
    return module->size <= b->size - (size_t)(at - b->bytes);
}

static void compare_objects(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again)
{
    struct proof_blob a, b;
    uint64_t of_a[2], of_b[2];
    proof->what = "the layout of the binary is not known";
    if (!find_module(&b, again) || !proof_bitcode_digest(of_b, b.bytes, b.size))
        return;
    if (!pocl_layout_is(entry->bytes, entry->size))
        (void)proof_find(proof, suspect_driver,
                "the binary is none of this version of the driver", "");
    else if (find_module(&a, entry)
             && proof_bitcode_digest(of_a, a.bytes, a.size)
             && memcmp(of_a, of_b, sizeof of_a) == 0)
        proof->verdict = proof_same;
    else
        proof->what = "it has no machine code yet, and the intermediate code "
                      "does not compare";
}

void proof_compare_pocl(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again)
{
    struct comparison c = {.proof = proof};
    proof->verdict = proof_open;
    if (!pocl_layout_read(&c.again, again->bytes, again->size)) {
        compare_objects(proof, entry, again);
        return;
    }
    if (!pocl_layout_read(&c.entry, entry->bytes, entry->size)) {
        (void)proof_find(proof, suspect_driver,
                "the binary is none of this version of the driver", "");
        return;
    }
    if (!compare_all(&c)) return;
    if (c.unmatched > 0)
        proof->what = "the driver has not compiled again for all launches of "
                      "the entry";
    else if (c.bare > 0 && c.intermediate != is_same)
        proof->what = "a kernel was never launched, and the intermediate code "
                      "does not compare";
    else
        proof->verdict = proof_same;
}

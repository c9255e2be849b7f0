/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL's binaries as bytes: where the name of the program's folder is, and the
 * files that PoCL unpacks into it. Trusts nothing, allocates nothing.
 *
 * A binary is a head, the files of the program (its intermediate code) and, for
 * each kernel, a head and the kernel's files: one shared object for each class
 * of launches that was compiled, and one for all others, whose folder is 0-0-0.
 */
#ifndef DNNL_CACHE_BINARIES_POCL_LAYOUT_H
#define DNNL_CACHE_BINARIES_POCL_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of the name with its NULs. */
enum { pocl_name_size = 41 };

struct pocl_layout {
    const uint8_t *binary; /* borrowed */
    size_t size;
    uint32_t version; /* of the layout */
    uint32_t kernel_count;
    bool is_executable;   /* not a library, nor compiled to be linked */
    bool has_variables;   /* of program scope */
    size_t name_at;       /* of the folder */
    size_t files_at;      /* of the program; the head's end */
    size_t files_size;    /* of their record, see pocl_files_of_program() */
    uint32_t entry_count; /* of the record; 1 before layout 9 */
};

/* Files one behind the other. */
struct pocl_files {
    const uint8_t *at;
    size_t left;
};

struct pocl_file {
    const uint8_t *record; /* all that is written of it */
    size_t record_size;
    const char *name; /* a path from the program's folder; no NUL */
    size_t name_size;
    const uint8_t *data;
    size_t size;
};

struct pocl_kernel {
    const uint8_t *head; /* what comes before the files */
    size_t head_size;
    const char *name; /* no NUL */
    size_t name_size;
    struct pocl_files files;
};

/* True if the bytes begin like a binary of PoCL, of whichever version. */
bool pocl_layout_is(const uint8_t *binary, size_t size);

/* Where the folder's name is; 0: the layout is not one of those whose heads
 * were compared (8, 9, 11, 12), or the bytes end before. */
size_t pocl_layout_name(const uint8_t *binary, size_t size);

/* False: not a binary whose layout is known, or not whole: sizes do not fit. */
bool pocl_layout_read(
        struct pocl_layout *layout, const uint8_t *binary, size_t size);

/* The files of the program, if they are one entry, as all CPU devices have. */
bool pocl_files_of_program(
        const struct pocl_layout *layout, struct pocl_files *files);

/* Takes one kernel after the other: *at is 0 at first. False: no more. */
bool pocl_layout_kernel(const struct pocl_layout *layout, size_t *at,
        struct pocl_kernel *kernel);

/* Takes one file after the other. False: no more. */
bool pocl_files_next(struct pocl_files *files, struct pocl_file *file);

/* True if the name is the folder of that kernel, something, and the kernel's
 * shared object; *is_generic: the one for all launches. */
bool pocl_file_is_code(const struct pocl_file *file,
        const struct pocl_kernel *kernel, bool *is_generic);

#endif /* DNNL_CACHE_BINARIES_POCL_LAYOUT_H */

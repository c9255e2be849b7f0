/* SPDX-License-Identifier: Apache-2.0 */
/* note.h: notes, for authors of stores. */
#ifndef DNNL_CACHE_SYS_NOTE_H
#define DNNL_CACHE_SYS_NOTE_H

#include "dnnl_cache/base.h"

#include <stddef.h>
#include <stdint.h>

/*
 * A note says that something was built or launched whose binary is not complete
 * in a store yet. Stores write notes to a journal, from which the binaries are
 * made later, by the library or by "dnnl-cache refresh". A note holds no buffer
 * and no argument of a kernel.
 */
typedef enum {
    dnnl_cache_note_undef = 0,
    dnnl_cache_note_build = 1,  /* a program was compiled or linked */
    dnnl_cache_note_launch = 2, /* a kernel was launched in this way */
    dnnl_cache_note_kernel = 3, /* a kernel was created; of records alone */
    dnnl_cache_note_made = 4 /* files that a build has made; not of records */
} dnnl_cache_note_kind_t;

/* Whose entry the ID names. */
typedef enum {
    dnnl_cache_note_origin_undef = 0,
    dnnl_cache_note_library = 1,  /* a program of this library's API */
    dnnl_cache_note_layer = 2,    /* a build under the OpenCL layer */
    dnnl_cache_note_primitive = 3 /* the library's own; of records alone */
} dnnl_cache_note_origin_t;

/* What was built, by the call that built it. */
typedef enum {
    dnnl_cache_note_type_undef = 0,
    dnnl_cache_note_executable = 1, /* clBuildProgram() */
    dnnl_cache_note_object = 2,     /* clCompileProgram() */
    dnnl_cache_note_linked = 3      /* clLinkProgram() */
} dnnl_cache_note_type_t;

/* A header that the application embedded, or a program that is one. */
typedef struct {
    const char *name; /* as the source includes it */
    size_t size;      /* bytes of text */
    const char *text; /* not NUL-terminated */
} dnnl_cache_note_header_t;

/* A file that was found for an include. */
typedef struct {
    const char *path;   /* as the compiler opens it */
    uint8_t digest[32]; /* BLAKE2b-256 of its contents */
} dnnl_cache_note_file_t;

/* A specialization constant. */
typedef struct {
    uint32_t id;      /* its number in the IL */
    uint32_t size;    /* bytes of value: 1, 2, 4 or 8 */
    uint8_t value[8]; /* as the application gave it */
} dnnl_cache_note_constant_t;

/* One note. Set struct_size with DNNL_CACHE_NOTE_INIT. Pointers are valid
 * during the call that the note is passed to. Members that a kind of note does
 * not have are 0 or NULL. */
typedef struct {
    size_t struct_size;              /* sizeof the struct */
    dnnl_cache_note_kind_t kind;     /* what happened */
    dnnl_cache_note_origin_t origin; /* whose entry it is */
    size_t id_size;    /* of the entry that the binary is put under */
    const uint8_t *id; /* cache blob ID */

    /* ---- Of a build ---- */

    dnnl_cache_note_type_t type; /* what was built */
    uint64_t compile_ns;         /* 0: not known */
    /* The strings of clCreateProgramWithSource(), in order; or IL. Neither, if
     * the program was linked. */
    size_t source_count;
    const size_t *source_sizes; /* bytes */
    const char *const *sources; /* of source_sizes bytes each */
    size_t il_size;             /* bytes */
    const void *il;             /* intermediate language; NULL: none */
    const char *options;        /* as given; NULL is "" */
    size_t header_count;        /* headers that were given */
    const dnnl_cache_note_header_t *headers;     /* header_count of them */
    size_t constant_count;                       /* specialization constants */
    const dnnl_cache_note_constant_t *constants; /* constant_count of them */
    /* Of a link: IDs of the programs that were linked, in order. */
    size_t input_count;
    const size_t *input_id_sizes;
    const uint8_t *const *input_ids;
    /* 1: the compiler reads files, and the ID has a digest of their contents
     * (the layer's, for example). 2: it reads files that the application alone
     * knows (dnnl_cache_program_desc_set_includes_known()): such a program can
     * be captured in its own process only. */
    int reads_files;
    size_t file_count; /* of those, as far as they are known */
    const dnnl_cache_note_file_t *files; /* their paths and digests */
    const char *directory; /* where relative paths begin; NULL: not known */
    /* A note of files that were made has files and directory, too: the folder
     * that the driver's own cache has of the program, and what is in it. In
     * place of a digest each file has four numbers of 8 bytes, little-endian:
     * device, inode, seconds and nanoseconds of its last change. */

    /* ---- Of a launch ---- */

    const char *kernel;   /* its name */
    uint32_t work_dim;    /* dimensions: 1 to 3 */
    size_t local_size[3]; /* 0: chosen by the driver, or no such dimension */
    int has_offset;       /* a global offset other than 0 */
    /* As PoCL means it: no dimension of the grid has many items. Drivers
     * without this distinction: 0. */
    int is_small_grid;
    /* What the driver chooses from, if it chooses the local size; else 0. */
    size_t global_size[3];

    /* ---- Of a kernel that was created, which has a name, too ---- */

    /* What its arguments are, a letter each: g, c and l a pointer to global,
     * constant and local memory; i an image or a pipe; s a sampler; v a value;
     * ? not known. NULL: none of them is known. */
    const char *arguments;

    /* ---- Of a build again ---- */

    /* The headers of clCompileProgram(), which are programs of source, in
     * order: what they were made from, and the names of the call. */
    size_t header_program_count;
    const dnnl_cache_note_header_t *header_programs;
} dnnl_cache_note_t;

/* The initial value of a dnnl_cache_note_t: struct_size is set, all else is
 * 0. */
#define DNNL_CACHE_NOTE_INIT                                                 \
    {                                                                        \
        sizeof(dnnl_cache_note_t), dnnl_cache_note_undef,                    \
                dnnl_cache_note_origin_undef, 0, NULL,                       \
                dnnl_cache_note_type_undef, 0, 0, NULL, NULL, 0, NULL, NULL, \
                0, NULL, 0, NULL, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0,  \
                {0, 0, 0}, 0, 0, {0, 0, 0}, NULL, 0, NULL                    \
    }

#endif /* DNNL_CACHE_SYS_NOTE_H */

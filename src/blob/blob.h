/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a cache blob holds, as the writer takes it and the reader gives it.
 *
 * docs/reference/format.md has the byte table. All pointers here are borrowed:
 * the writer copies what they point to, the reader's point into the blob.
 */
#ifndef DNNL_CACHE_BLOB_BLOB_H
#define DNNL_CACHE_BLOB_BLOB_H

#include "src/blob/id.h"

#include <stddef.h>
#include <stdint.h>

/* The format this library writes, and the newest it reads. */
#define BLOB_FORMAT_VERSION 1u

/* Sanity limits. The writer refuses what is beyond, the reader believes no
 * number beyond. */
#define BLOB_MAX_SECTIONS 64u
#define BLOB_MAX_PROGRAMS 1024u
#define BLOB_MAX_KERNELS 4096u
/* A program's binary, decoded: what a reader may be made to allocate. */
#define BLOB_MAX_BINARY_SIZE (UINT64_C(1) << 30)
/* The name of a finaliser. */
#define BLOB_MAX_FINALISER_SIZE 64u
#define BLOB_MAX_USER_DATA_SIZE DNNL_CACHE_MAX_USER_DATA_SIZE
#define BLOB_MAX_FILES 4096u
#define BLOB_MAX_FILE_NAME_SIZE 4095u

/* How a binary is stored. Values are part of the format. */
enum blob_codec { blob_codec_none = 0, blob_codec_zstd = 1 };

/* Whose binaries they are. Values are part of the format. */
enum blob_backend { blob_backend_opencl = 1 };

/* One program. */
struct blob_program {
    /* Its own ID, of kind program. If it equals the blob's, it is stored
     * once. */
    const uint8_t *id;
    size_t id_size;
    /* The driver's binary as stored, that is, encoded; not empty. In a blob
     * it starts at a multiple of 8 bytes. */
    const uint8_t *binary;
    size_t binary_size;
    uint64_t raw_size; /* decoded; equals binary_size if codec is none */
    uint32_t codec;    /* enum blob_codec */
    uint32_t backend;  /* enum blob_backend */
    /* The build log, without a NUL; NULL or size 0 if there is none. From
     * the reader a NUL follows it if it is not empty. */
    const char *log;
    size_t log_size;
    /* The finalised form, which the driver loads faster
     * (docs/how_it_works/finalisers.md). `finaliser` names what made it and its
     * version, without a NUL; size 0: there is none. Then `final_binary` is the
     * form, encoded as `binary` is; NULL: the binary itself is the finalised
     * form, and there is no other. */
    const char *finaliser;
    size_t finaliser_size;
    const uint8_t *final_binary;
    size_t final_size;
    uint64_t final_raw_size;
    uint32_t final_codec;
};

/* One kernel of one of the programs. No two have both the same program and
 * the same name; their order is the writer's caller's and is kept. */
struct blob_kernel {
    uint32_t program; /* index */
    /* Not empty, no NUL inside. From the reader a NUL follows it, so it can
     * be given to the driver as it is. */
    const char *name;
    size_t name_size;
    /* What launching it needs to know, encoded by its owner; may be empty.
     * In a blob it starts at a multiple of 8 bytes. */
    const uint8_t *facts;
    size_t facts_size;
};

/* A whole blob. An engine's has engine facts and nothing else beside its ID;
 * a primitive's may have programs and kernels; a program's has at least one
 * program and may have user data. */
struct blob_contents {
    enum blob_kind kind;
    const uint8_t *id; /* a well-formed ID of the same kind */
    size_t id_size;
    const struct blob_program *programs;
    uint32_t program_count;
    const struct blob_kernel *kernels;
    uint32_t kernel_count;
    const uint8_t *engine_facts; /* encoded by the engine; not empty there */
    size_t engine_facts_size;
    /* The application's bytes, of a program's blob only; size 0: none. In a
     * blob they start at a multiple of 8 bytes. */
    const uint8_t *user_data;
    size_t user_data_size;
    /* The included files, of a program's blob only, as included.h makes them;
     * size 0: none, or not known. */
    const uint8_t *included;
    size_t included_size;
};

#endif /* DNNL_CACHE_BLOB_BLOB_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* blob_info.h: what a blob and an ID consist of, in structs. */
#ifndef DNNL_CACHE_BLOB_INFO_H
#define DNNL_CACHE_BLOB_INFO_H

#include "dnnl_cache/objects.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for the text of dnnl_cache_blob_get_binary_text(), its NUL included. */
#define DNNL_CACHE_BINARY_TEXT_SIZE 64

/* How blobs store binaries. */
typedef enum {
    dnnl_cache_compression_none = 0, /* fastest to load (default) */
    dnnl_cache_compression_zstd = 1  /* smallest */
} dnnl_cache_compression_t;

/* Contents of a blob, read without a device. Pointers point into the inspected
 * bytes. */
typedef struct {
    size_t struct_size;          /* sizeof the struct */
    dnnl_cache_blob_kind_t kind; /* what it is a record of */
    uint32_t format_version;     /* docs/reference/format.md */
    uint64_t total_size;         /* bytes */
    uint32_t section_count;      /* of the format */
    uint32_t program_count;      /* programs in it */
    uint32_t kernel_count;       /* kernels in it */
    uint64_t binary_bytes;       /* all driver binaries, decoded */
    uint64_t stored_bytes;       /* all driver binaries, as stored */
    size_t id_size;              /* bytes */
    const uint8_t *id;           /* the ID it was made for */
    size_t build_log_size;       /* bytes, without a trailing NUL */
    const char *build_log;       /* NULL: none */
    /* Bytes of dnnl_cache_program_set_user_data(); NULL: none. They start at a
     * multiple of 8 bytes from the blob's start. */
    size_t user_data_size;    /* bytes */
    const uint8_t *user_data; /* owned by the blob */
    /* Programs with a finalised form, and the bytes of the forms that are
     * stored beside a binary. */
    uint32_t finalised_count;
    uint64_t finalised_bytes;
    /* The first program's binary as it is stored: it is the driver's if
     * binary_compression is none. NULL: there is no program. */
    size_t binary_size;
    const uint8_t *binary;
    dnnl_cache_compression_t binary_compression;
} dnnl_cache_blob_info_t;

/* The initial value of a dnnl_cache_blob_info_t: struct_size is set, all
 * else is 0. */
#define DNNL_CACHE_BLOB_INFO_INIT                                            \
    {                                                                        \
        sizeof(dnnl_cache_blob_info_t), dnnl_cache_blob_kind_undef, 0, 0, 0, \
                0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, NULL,        \
                dnnl_cache_compression_none                                  \
    }

/* The parts that dnnl_cache_blob_describe() describes. */
typedef enum {
    dnnl_cache_blob_part_section = 1,
    dnnl_cache_blob_part_program = 2,
    dnnl_cache_blob_part_kernel = 3,
    dnnl_cache_blob_part_file = 4 /* that a program included */
} dnnl_cache_blob_part_kind_t;

/* One part of a blob. The library fills it in, and sets struct_size to the size
 * that it knows; later releases may have more members. Members that a kind of
 * part does not have are 0 or NULL. Pointers point into the blob, except the
 * name of a section, which is static. */
typedef struct {
    size_t struct_size;               /* sizeof the struct */
    dnnl_cache_blob_part_kind_t kind; /* what the part is */
    uint32_t index;                   /* from 0, among the parts of its kind */
    /* Section: "id", "programs", "kernels", "engine_facts", "logs",
     * "user_data", "included", "binaries", "finalised", else "unknown". Kernel:
     * its name. File: its name as a source spells it, without the folders of an
     * absolute one. Program: "". Never NULL. */
    const char *name;
    uint32_t tag;     /* section: its number in the format */
    uint32_t program; /* kernel: index of its program; program: its own */
    /* Section: its size. Program: size of the driver's binary, decoded. Kernel:
     * size of its launch facts. */
    uint64_t bytes;
    uint64_t stored_bytes;                /* the same, as stored in the blob */
    dnnl_cache_compression_t compression; /* program: of its binary */
    /* Program: its own ID, in bytes. File: its digest, of
     * DNNL_CACHE_INCLUDED_DIGEST_SIZE. NULL for other kinds. */
    size_t id_size;
    const uint8_t *id;
    size_t build_log_size; /* program: in bytes, without a trailing NUL */
    const char *build_log; /* NULL if there is none */
    /* Kernel of a program's blob: the launches that the binary has code for, as
     * PoCL names them, "64-1-1-goffs0-smallgrid"; several are separated by
     * commas. Where PoCL chose the local size: the global size, "auto-640-1-1".
     * NULL: not known, or the driver makes no such difference. */
    const char *launches;
    /* Program: what made its finalised form, and that one's version; not
     * NUL-terminated. NULL: it has none. */
    const char *finaliser;
    size_t finaliser_size;
    /* Program: size of the form beside the binary, decoded and as stored; 0 if
     * the binary itself is the form. */
    uint64_t finalised_bytes;
    uint64_t finalised_stored_bytes;
} dnnl_cache_blob_part_t;

/* Receives one part, which is valid during the call. Called on the thread of
 * dnnl_cache_blob_describe(), with no lock of the library held. Any status but
 * dnnl_success ends the description. */
typedef dnnl_status_t (*dnnl_cache_blob_part_callback_t)(
        const dnnl_cache_blob_part_t *part, void *user);

/* One ingredient of a cache blob ID. */
typedef struct {
    size_t struct_size;   /* sizeof the struct */
    uint32_t tag;         /* its number in the format */
    const char *name;     /* static: "driver_version", "source", ... */
    size_t size;          /* bytes */
    const uint8_t *value; /* points into the ID */
    int is_text;          /* value is printable text */
} dnnl_cache_id_field_t;

/* The initial value of a dnnl_cache_id_field_t: struct_size is set, all
 * else is 0. */
#define DNNL_CACHE_ID_FIELD_INIT                           \
    {                                                      \
        sizeof(dnnl_cache_id_field_t), 0, NULL, 0, NULL, 0 \
    }

/* What is kept of a file that a program included: the first bytes of its
 * BLAKE2b-256. */
#define DNNL_CACHE_INCLUDED_DIGEST_SIZE 16

/* The largest size of dnnl_cache_program_set_user_data(). */
#define DNNL_CACHE_MAX_USER_DATA_SIZE ((size_t)1 << 24)

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_BLOB_INFO_H */

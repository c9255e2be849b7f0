/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cache blob IDs: the canonical bytes that name an engine, a primitive or a
 * program.
 *
 * An ID is a short header (magic, format version, kind) and then its
 * ingredients, each with a tag and a length, so that no two different lists
 * of ingredients have the same bytes and every single ingredient can be read
 * back and named. Two IDs name the same thing if and only if their bytes are
 * equal. docs/reference/format.md has the byte table.
 *
 * The order of the ingredients is part of the bytes: whoever builds IDs puts
 * them in one fixed order, by ascending tag where nothing speaks against it.
 *
 * Nothing here has hidden state; an object belongs to one thread at a time.
 */
#ifndef DNNL_CACHE_BLOB_ID_H
#define DNNL_CACHE_BLOB_ID_H

#include "dnnl_cache/blob_info.h"
#include "src/common/buffer.h"
#include "src/common/byte_order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the ID's layout. It is in the ID, so that IDs of different
 * layouts never match. */
#define ID_FORMAT_VERSION 1u

/* Sizes of the fixed parts, in bytes. */
#define ID_HEADER_SIZE 12u
#define ID_FIELD_HEADER_SIZE 8u

/* What an ID or a blob is for: the values of dnnl_cache_blob_kind_t. */
enum blob_kind {
    blob_kind_engine = 1,
    blob_kind_primitive = 2,
    blob_kind_program = 3
};

/* Ingredients. A value never changes its meaning and is never used again. */
enum id_tag {
    /* This library. */
    id_library_version = 0x0101,       /* text */
    id_library_source_digest = 0x0102, /* digest of src/gpu and kernels */
    id_library_git_hash = 0x0103,      /* text */
    /* All u32 (gpu/device/versions.h), of the application's programs. */
    id_blob_format_version = 0x0104,
    id_capture_version = 0x0105,
    id_finaliser_version = 0x0106,
    id_identity_version = 0x0107,
    id_include_scanner_version = 0x0108,
    id_backend = 0x0110, /* u32, enum blob_backend */

    /* The platform. All text. */
    id_platform_name = 0x0201,
    id_platform_vendor = 0x0202,
    id_platform_version = 0x0203,
    id_platform_profile = 0x0204,

    /* The device, as every driver describes it. */
    id_device_name = 0x0301,       /* text */
    id_device_vendor = 0x0302,     /* text */
    id_device_vendor_id = 0x0303,  /* u32 */
    id_device_version = 0x0304,    /* text */
    id_opencl_c_version = 0x0305,  /* text */
    id_device_type = 0x0306,       /* u64 */
    id_address_bits = 0x0307,      /* u32 */
    id_byte_order = 0x0308,        /* u32, 1 little-endian */
    id_device_extensions = 0x0309, /* digest */
    id_device_limits = 0x030a,     /* encoded queries that steer code */
    id_device_features = 0x030b,   /* encoded */
    /* Of a CPU: platform/processor.h. */
    id_processor = 0x030c,          /* text */
    id_processor_features = 0x030d, /* digest */

    /* The device, as its vendor's extensions describe it. */
    id_nv_compute_capability = 0x0401, /* u32 major, u32 minor */
    id_intel_ip_version = 0x0402,      /* u32 */
    id_intel_device_id = 0x0403,       /* u32 */
    id_intel_stepping = 0x0404,        /* u32 */
    id_amd_isa_name = 0x0405,          /* text */
    id_amd_pcie_id = 0x0406,           /* u32 */
    id_driver_uuid = 0x0407,           /* 16 bytes */
    id_device_ip_version = 0x0408,     /* u32 */

    /* The driver. */
    id_driver_version = 0x0501,     /* text */
    id_driver_build = 0x0502,       /* text, the driver's own object */
    id_driver_environment = 0x0503, /* text "NAME=value", repeated */
    id_driver_components = 0x0504,  /* digest of all that makes its code */
    id_finaliser = 0x0505,    /* text: which one its binaries go through */
    id_process_bits = 0x0506, /* u32: of addresses in the process, 32 or 64 */

    /* What the probe kernel revealed. */
    id_engine_facts = 0x0601,

    /* A primitive. */
    id_primitive_kind = 0x0701,      /* u32 */
    id_implementation = 0x0702,      /* u32 index */
    id_implementation_name = 0x0703, /* text */
    id_op_desc = 0x0704,
    id_memory_desc = 0x0705, /* role inside; repeated */
    id_attributes = 0x0706,
    id_post_ops = 0x0707,

    /* A program. */
    id_source = 0x0801,          /* digest */
    id_il = 0x0802,              /* digest */
    id_il_version = 0x0803,      /* text */
    id_header_name = 0x0804,     /* text; followed by its id_header */
    id_header = 0x0805,          /* digest */
    id_build_options = 0x0806,   /* text */
    id_spec_constant = 0x0807,   /* u32 id, then the value; repeated */
    id_application_key = 0x0808, /* the application's own; repeated */
    id_includes = 0x0809,        /* digest of the files that are included */
};

/* ---- Building ------------------------------------------------------------ */

/* An ID in the making. Errors are sticky: check id_builder_status() once,
 * then the ID is bytes.data, bytes.size. */
struct id_builder {
    struct buffer bytes;
    bool invalid; /* something that no ID can hold was put */
};

/* Starts an ID with its header. Pair with id_builder_fini(). */
void id_builder_init(struct id_builder *b, enum blob_kind kind);

/* Frees the bytes; NULL and zeroed are fine. To keep them, move `bytes` away
 * as buffer_fini() says. */
void id_builder_fini(struct id_builder *b);

/* Puts one ingredient: `size` bytes (at most UINT32_MAX), copied. `data` may
 * be NULL if size is 0. An ingredient that is empty differs from one that is
 * absent. */
void id_put(
        struct id_builder *b, enum id_tag tag, const void *data, size_t size);
/* The same for one number, little-endian. */
void id_put_u32(struct id_builder *b, enum id_tag tag, uint32_t value);
void id_put_u64(struct id_builder *b, enum id_tag tag, uint64_t value);
/* The same for a string without its NUL; NULL makes the ID invalid. */
void id_put_string(struct id_builder *b, enum id_tag tag, const char *text);
/* Puts the BLAKE2b-256 digest of `size` bytes in their place. */
void id_put_digest(
        struct id_builder *b, enum id_tag tag, const void *data, size_t size);
/* Puts ingredients that id_fields() took from another ID. Bytes that are not
 * well-formed make the ID invalid. */
void id_put_fields(struct id_builder *b, const uint8_t *fields, size_t size);

/* A field in place, for who has made room: its head is written at `at`; returns
 * where its value goes. All fields are written by these two. */
static inline uint8_t *id_field_begin(uint8_t *at, enum id_tag tag)
{
    store_le16(at, (uint16_t)tag);
    store_le16(at + 2, 0);
    return at + ID_FIELD_HEADER_SIZE;
}

/* Ends a field whose value ends there, at most UINT32_MAX bytes on; returns
 * where the next one begins. */
static inline uint8_t *id_field_end(uint8_t *value, uint8_t *end)
{
    store_le32(value - 4, (uint32_t)(end - value));
    return end;
}

/* dnnl_success; dnnl_out_of_memory; dnnl_invalid_arguments if something that
 * no ID can hold was put. */
dnnl_status_t id_builder_status(const struct id_builder *b);

/* ---- Reading ------------------------------------------------------------- */

/* One ingredient; value points into the ID. */
struct id_field {
    uint16_t tag; /* enum id_tag, or one this version does not know */
    const uint8_t *value;
    size_t size;
};

/* Walks the ingredients of an ID, whose bytes must outlive it. */
struct id_reader {
    enum blob_kind kind;
    const uint8_t *cursor;
    const uint8_t *end;
};

/* Checks the whole ID and starts before its first ingredient.
 * dnnl_invalid_arguments for NULL or size 0, dnnl_cache_blob_unsupported for
 * a newer ID format, dnnl_cache_blob_corrupt for whatever else is no ID; `r`
 * is untouched then. */
dnnl_status_t id_reader_init(
        struct id_reader *r, const uint8_t *id, size_t size);

/* Continues at a field that begins there, with only that field checked: `at` is
 * where a reader of the same ID, which id_reader_init() has checked, has come
 * to, as a distance from the ID's beginning. 0: id_reader_init().
 * dnnl_invalid_arguments if no field begins there. */
dnnl_status_t id_reader_init_at(
        struct id_reader *r, const uint8_t *id, size_t size, size_t at);

/* Steps to the next ingredient; false, and `field` untouched, at the end. */
bool id_reader_next(struct id_reader *r, struct id_field *field);

/* The ingredients of an ID without its header, for id_put_fields(): the
 * engine's, put into the ID of each of its primitives. Statuses as
 * id_reader_init(); outputs point into the ID. */
dnnl_status_t id_fields(const uint8_t *id, size_t size, const uint8_t **fields,
        size_t *fields_size);

/* The ingredient's name in lower_snake_case, static; "unknown" for a tag this
 * version does not know. */
const char *id_field_name(uint16_t tag);

/* Whether the ingredient is text for people to read. */
bool id_field_is_text(uint16_t tag);

/* Names what two IDs differ in: every ingredient that only one of them has,
 * or that has another value (a repeated one: another list of values), each
 * name once, by ascending tag, "unknown" last. Before those "kind" if the IDs
 * are of different kinds; alone "order" if only the order differs and
 * "format" if either is not a well-formed ID (NULL counts as empty).
 *
 * Returns the number of names and writes at most `capacity` of them (names
 * may be NULL if capacity is 0). 0 if and only if the bytes are equal. */
size_t id_diff(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
        const char **names, size_t capacity);

#endif /* DNNL_CACHE_BLOB_ID_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* program_key.h: how programs are told apart in memory. */
#ifndef DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_KEY_H
#define DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_KEY_H

#include "src/common/cache.h"
#include "src/gpu/device/device.h"
#include "src/gpu/program/describe/program_text.h"

/* What a program is known by in its context's memory: the device that it is
 * built for (equal devices have equal IDs); a digest of the folders that its ID
 * has as numbers, since the driver's program tells of them, or zeros; then its
 * ID. */
struct program_key {
    struct buffer bytes; /* empty: not cacheable */
    uint64_t hash;
};
enum { PROGRAM_PLACE_SIZE = 8 + 32 };

/* Starts a key: its place; the ID is appended by the caller, then the key is
 * finished. moved: the options of a program that moves, as they were given;
 * NULL: of another. */
void program_key_start(
        struct program_key *key, cl_device_id device, const char *moved);
dnnl_status_t program_key_finish(struct program_key *key);
void program_key_fini(struct program_key *key);

/* The bytes of an ID in some key. */
struct program_id {
    const uint8_t *data;
    size_t size; /* 0: not cacheable */
};
struct program_id program_key_id(const struct program_key *key);
struct cache_key program_key_of_cache(const struct program_key *key);

/* Makes the key of a program of the engine's device: the ID has these fields of
 * the device's identity (empty: not cacheable, as the key is then), the text's,
 * then the extra ones. Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t program_key_build(cl_device_id device,
        const struct buffer *device_fields, const struct program_text *text,
        const struct buffer *extra, struct program_key *out);

#endif /* DNNL_CACHE_GPU_PROGRAM_DESCRIBE_PROGRAM_KEY_H */

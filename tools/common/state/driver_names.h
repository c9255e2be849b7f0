/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_names.h: which files the drivers of a store's entries were made of,
 * the file "drivers" in the state folder (state_folder.h).
 *
 * IDs have one digest over all parts of a driver. A line of this file has one
 * part: the beginning of that digest, how the part is identified, the beginning
 * of its own digest, its name. So of two entries of different builds of a
 * driver the part that changed can be named. There are as many lines as a build
 * has parts, however many entries; of the builds the latest are kept. Nothing
 * else depends on the file, which may be removed at any time.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_DRIVER_NAMES_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_DRIVER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    driver_names_key_size = 17, /* with the NUL, as the next ones */
    driver_part_name_size = 97,
    driver_part_how_size = 34, /* "build-id 0123456789abcdef" */
    driver_names_most_builds = 16,
    driver_names_most_bytes = 1 << 19
};

/* A build, by what the ingredient driver_components of its IDs is. False: it is
 * no digest. */
bool driver_names_key(
        char key[driver_names_key_size], size_t size, const uint8_t *digest);

struct driver_part {
    char name[driver_part_name_size];
    char how[driver_part_how_size];
};

/* The file as text, which the caller frees. NULL: there is none. */
char *driver_names_read(int folder);

/* The next part of a build in the text; *at begins at the text. False: no
 * more. */
bool driver_names_next(
        struct driver_part *part, const char **at, const char *key);
bool driver_names_have(const char *text, const char *key);

/* Adds a build, if it is not there, and drops the oldest beyond the most.
 * parts: lines with a NUL each, as dnnl_cache_device_get_identified_parts()
 * writes them. False: it could not be done. */
bool driver_names_add(
        int folder, const char *key, size_t size, const char *parts);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_DRIVER_NAMES_H */

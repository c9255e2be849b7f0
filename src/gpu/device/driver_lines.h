/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_lines.h: the objects and files of a driver, a line each, and how each
 * is identified: by a build-id in memory or in its file, by a digest, or by its
 * name alone.
 */
#ifndef DNNL_CACHE_GPU_DRIVER_LINES_H
#define DNNL_CACHE_GPU_DRIVER_LINES_H

#include "src/common/buffer.h"
#include "src/gpu/device/file_digest.h"
#include "src/gpu/device/file_search.h"
#include "src/gpu/device/identity_watch.h"
#include "src/gpu/device/loaded_objects.h"

#include <stdbool.h>

enum { MAX_LINES = 256, LINE_SIZE = 256 };

/* What is known of one object or file. */
struct driver_line {
    char text[LINE_SIZE];  /* name, how it is identified, digest */
    const char *uncounted; /* why its build is not in the ID; NULL: it is */
    int64_t bytes;         /* of the file, -1: not known */
    char *path;            /* for descriptions; NULL: not known */
};

/* A file that was looked at, for when it is found once more. */
struct driver_file {
    uint64_t hash; /* of the path */
    char *path;    /* owned */
    struct file_facts facts;
    uint8_t build_id[library_build_id_most];
    size_t build_id_size;    /* 0: it has none, and counts by the digest */
    struct digest256 digest; /* of the whole file */
    /* Owned, the first bytes, of what is no text a NUL alone; NULL: not read.
     */
    char *head;
    size_t head_size;
};

struct driver_lines {
    struct driver_line *list;
    size_t count;
    struct driver_file *files; /* owned */
    size_t file_count;
    struct file_systems systems;
    bool is_description;   /* with sizes, paths and what is missing */
    struct buffer missing; /* paths with a NUL each, for a description */
    /* An errno value: the driver cannot be identified, because of this. */
    int error;
    char culprit[64];
    unsigned char *piece; /* owned, of one file at a time */
    size_t piece_size;
    struct identity_watch *watch; /* NULL: what is found is only described */
};

/* An ID without a part of the driver would be another one, which other drivers
 * may have as well. Only what is certainly not there is no part of it. */
void driver_lines_fail(struct driver_lines *lines, const char *name, int error);
/* NULL: there are too many. */
struct driver_line *driver_lines_add(struct driver_lines *lines,
        const char *name, const char *how, const unsigned char *digest,
        size_t digest_size);
/* By the build-id, which is in memory, else by the file it was loaded from. */
void driver_lines_add_loaded(
        struct driver_lines *lines, const struct loaded_object *o);
void driver_lines_add_file(struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const char *name);
/* The same of one that may not be there, which is looked up: file_search.h.
 * Other errors are the identity's. */
int driver_lines_find_file(struct driver_lines *lines,
        const struct loaded_objects *objects, const char *path,
        const char *name, struct file_head *head);
/* The same of one that is open and, since it is, there. */
void driver_lines_add_opened(struct driver_lines *lines,
        const struct loaded_objects *objects, const struct file_opened *opened,
        const char *path, const char *name);
/* Of what was added since there were `before` lines. */
void driver_lines_set_path(
        struct driver_lines *lines, size_t before, const char *path);
void driver_lines_watch_absent(struct driver_lines *lines, const char *path);
/* What is there and has no line, until it is changed. */
void driver_lines_watch_unfit(struct driver_lines *lines, const char *path);
void driver_lines_fini(struct driver_lines *lines);

#endif /* DNNL_CACHE_GPU_DRIVER_LINES_H */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_types.h: the types of stores by name, for programs whose users choose
 * one.
 *
 *     const struct dnnl_cache_store_type *type =
 *             dnnl_cache_store_find_type("bucket");
 *     struct dnnl_cache_store_options options =
 *             DNNL_CACHE_STORE_OPTIONS_INIT;
 *     options.path = "/home/me/.cache/my_app";
 *     dnnl_cache_store_open(&store, type->name, &options);
 *
 * A chain is none of them: it is made of stores, not of a place on disk.
 */
#ifndef DNNL_CACHE_STORE_TYPES_H
#define DNNL_CACHE_STORE_TYPES_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* What a look at a place finds of a store. */
enum dnnl_cache_store_trace {
    dnnl_cache_store_trace_none = 0,
    dnnl_cache_store_trace_size = 1, /* the file with its size, or its index */
    dnnl_cache_store_trace_entries = 2
};

/* A type of stores: what it is called, and how to recognise one. */
struct dnnl_cache_store_type {
    size_t struct_size;      /* sizeof the struct that the library knows */
    const char *name;        /* as in DNNL_CACHE_STORE_TYPE_NAMES */
    const char *description; /* a line without a full stop */
    bool is_file;            /* the path is a file's; else a directory's */
    /* What is there of a store of this type? fd: the place, open for reading;
     * nothing is written or locked. Closing fd frees the locks that this
     * process has on the file, so not for a pack that it has open. */
    enum dnnl_cache_store_trace (*recognise)(int fd);
};

/* The types' names, for tables and messages of programs that do not link the
 * stores. */
#define DNNL_CACHE_STORE_TYPE_NAMES "bucket", "flat", "tree", "pack"
#define DNNL_CACHE_STORE_TYPE_TEXT "bucket, flat, tree or pack"
#define DNNL_CACHE_STORE_DEFAULT_TYPE_NAME "flat"

/* All types, in this order; NULL for an index past the last one. */
const struct dnnl_cache_store_type *dnnl_cache_store_get_type(size_t index);

/* NULL: there is no type of this name. */
const struct dnnl_cache_store_type *dnnl_cache_store_find_type(
        const char *name);

/* The type of a new store if no type is chosen: flat, by the measurements in
 * docs/how_to/choose_a_store.md. */
const struct dnnl_cache_store_type *dnnl_cache_store_get_default_type(void);

/* The type of the store at a path. If none is there, or the path cannot be
 * opened: the usual type (may be NULL), but the default type where the usual
 * one is a file and a directory is there. Closes the path after a look, as
 * recognise: not for a pack that this process has open. */
const struct dnnl_cache_store_type *dnnl_cache_store_find_type_at(
        const char *path, const struct dnnl_cache_store_type *usual);

/* Is it an empty directory or file, open for reading at fd? What a writer that
 * died has left in a directory of its own does not count. */
bool dnnl_cache_store_is_empty_place(int fd);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_TYPES_H */

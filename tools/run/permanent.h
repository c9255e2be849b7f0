/* SPDX-License-Identifier: Apache-2.0 */
/*
 * permanent.h: puts the layer into the environment of every session of a user,
 * or of a system, and takes it out again.
 *
 * Loaders find a layer in two ways: by OPENCL_LAYERS, or, Khronos' loader
 * alone, by a file in /etc/OpenCL/layers. docs/how_to/keep_the_layer_on.md
 * lists the files. Each is written as a whole and has a mark in it. A file of
 * that name without the mark is never touched.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_PERMANENT_H
#define DNNL_CACHE_TOOLS_RUN_PERMANENT_H

#include "src/platform/library.h"
#include "tools/run/session_text.h"

#include <stdbool.h>
#include <stddef.h>

enum permanent_action {
    permanent_none,
    permanent_enable,
    permanent_disable,
    permanent_status
};

/* What a command line asks for. Strings are argv's. */
struct permanent_request {
    enum permanent_action action;
    bool user;
    bool system;
    bool dry_run;
    bool json;
    bool no_timer;
    bool quiet;
    const char *root;    /* NULL: the system's own */
    const char *layer;   /* NULL: the one beside this program */
    const char *command; /* NULL: any; with permanent_status */
};

/* A setting for the configuration file. */
struct permanent_setting {
    const char *name;
    const char *value;
    bool is_entry; /* of a list, to be added; to be removed from the other */
};

enum { permanent_failed = 1 };

/* Both tell what they did on standard output, and what is wrong on standard
 * error. 0, or permanent_failed: nothing was changed, or, after an error of the
 * disk, less than all. */
int permanent_enable_layer(const struct permanent_request *request,
        const struct permanent_setting *settings, size_t count);
int permanent_disable_layer(const struct permanent_request *request);

/* ---- What is enabled ----------------------------------------------------- */

/* A user's sessions, or a system's. */
struct permanent_scope {
    bool is_system;
    char root[path_size];   /* without links; "": the system's own */
    char config[path_size]; /* folder of settings, as seen below the root */
};

/* False: standard error was told why. */
bool permanent_scope_init(struct permanent_scope *scope, bool is_system,
        const char *root, bool is_told);

enum permanent_state {
    permanent_absent,
    permanent_ours,
    permanent_foreign,
    permanent_unreadable
};

struct permanent_file {
    enum session_form form;
    char path[path_size]; /* as seen below the root */
    bool is_wanted;       /* there is what would read it */
    enum permanent_state state;
    int error;   /* errno, of an unreadable one */
    char *text;  /* of one that is ours; a link's target */
    char *layer; /* that it names, or NULL */
};

enum { permanent_files_max = 6 };

/* The scope's files, and what is there of them. Returns their number. */
size_t permanent_files_look(struct permanent_file files[permanent_files_max],
        const struct permanent_scope *scope);
void permanent_files_fini(struct permanent_file *files, size_t count);

/* Is a file of the scope there? */
bool permanent_scope_has(const struct permanent_scope *scope, const char *path);

#endif /* DNNL_CACHE_TOOLS_RUN_PERMANENT_H */

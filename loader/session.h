/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h: an engine with a store, and in its memory what the model needed
 * when it was started last.
 *
 * The folder has programs/, a store of the default type, and working-sets/, a
 * list of IDs for each model and device. A store on a server may be behind the
 * store. Trouble with any of them costs compilations, and nothing else.
 */
#ifndef DNNL_CACHE_LOADER_SESSION_H
#define DNNL_CACHE_LOADER_SESSION_H

#include "device.h"
#include "failure.h"
#include "files.h"
#include "recorder.h"
#include "report.h"
#include <dnnl_cache/store.h>

struct session_options {
    const char *folder;
    const char *remote; /* a URL; NULL: none */
    const char *platform;
    /* What the working set is for: the model's file. */
    size_t model_size;
    const uint8_t *model;
    int threads; /* to load with */
    bool cached_only;
    bool is_worker; /* brings nothing into memory, and keeps no list */
};

struct session {
    struct session_options options;
    struct device device;
    dnnl_engine_t engine;
    struct dnnl_cache_store_handle *store; /* NULL: none could be opened */
    /* Around the store, with a remote one: so that machines that never ran the
     * model find the list there. NULL: none. */
    struct dnnl_cache_store_working_set *shared;
    bool has_engine; /* the store had its blob when it was opened */
    struct recorder recorder;
    struct id_list working_set;
    char list_name[40];              /* of the model and the device; "": none */
    char list_path[files_path_size]; /* "": none */
    double open_ms;                  /* of the store */
    /* Brings the working set into memory; until session_end_prefetch(). */
    pthread_t prefetcher;
    bool is_prefetching;
    struct report *report; /* borrowed, by that thread */
    /* Workers and threads put, each of which would tell of a full disk. */
    pthread_mutex_t log_lock; /* guards what follows; leaf */
    char last_warning[files_path_size];
};

/* The session must not move before session_close(), which is due in any case;
 * a zeroed one is fine there. Notes its phases in report, some of them from a
 * thread that brings the working set into memory: session_end_prefetch() waits
 * for it, and is due before anything is created. */
bool session_open(struct session *session,
        const struct session_options *options, struct report *report,
        struct failure *failure);

void session_end_prefetch(struct session *session);

/* True if the store has the engine's blob: then no process needs its probe. */
bool session_has_engine(const struct session *session);

/* Says so, once, if the store did not keep what it was given. */
void session_warn_unkept(const struct session *session);

/* Keeps the list of what was needed, if it is another one than at the start. */
void session_keep_working_set(struct session *session);

void session_close(struct session *session);

#endif /* DNNL_CACHE_LOADER_SESSION_H */

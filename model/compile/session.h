/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h: an engine with a store, and in its memory what the model needed
 * when it was started last.
 *
 * The folder has programs/, a store of the default type, and working-sets/, a
 * list of IDs for each model and device. A store on a server may be behind the
 * store. Trouble with any of them costs compilations, and nothing else.
 */
#ifndef DNNL_CACHE_MODEL_COMPILE_SESSION_H
#define DNNL_CACHE_MODEL_COMPILE_SESSION_H

#include "model/base/failure.h"
#include "model/base/report.h"
#include "model/compile/lookups.h"
#include "model/compile/model_device.h"
#include "tools/common/text/files.h"
#include <dnnl_cache/store.h>
#include <pthread.h>

struct session_options {
    const char *folder; /* NULL: none */
    const char *remote; /* a URL; NULL: none */
    /* A store of the caller's in place of the folder's; NULL: none. */
    const dnnl_cache_store_t *store;
    struct model_device_choice device;
    dnnl_cache_log_callback_t log; /* NULL: nobody is told of warnings */
    void *log_user;
    int threads; /* to load with */
    bool cached_only;
    bool is_worker; /* brings nothing into memory, and keeps no list */
};

struct session {
    struct session_options options;
    struct model_device device;
    dnnl_engine_t engine;
    dnnl_cache_store_handle_t *store; /* NULL: none could be opened */
    /* Around the store, with a remote one: so that machines that never ran the
     * model find the list there. NULL: none. */
    struct dnnl_cache_store_working_set *shared;
    size_t engine_id_size; /* of the engine's facts */
    uint8_t *engine_id;    /* owned; NULL: they are not cacheable */
    bool has_engine;       /* the store had its blob when it was opened */
    struct lookups lookups;
    /* What the working set is for, which session_set_model() tells. */
    pthread_mutex_t model_lock; /* guards the next five; leaf */
    pthread_cond_t model_known;
    bool has_device; /* it is known, or that there is none */
    bool has_model;
    size_t model_size; /* 0: there is none to make a list for */
    const uint8_t *model;
    uint64_t variant;
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

/* Waits until session_open(), in another thread, knows its device and context;
 * false if there is none. */
bool session_wait_for_device(struct session *session);

/* How many threads may use the device, which is known. */
int session_threads(const struct session *session);

/* Makes a session to which session_set_model() can be told, before it is
 * opened. */
void session_init(struct session *session);

/* Which list to bring into memory: that of a model's file, which is borrowed
 * until session_open() returns, and of a variant of it. session_open() waits
 * for this in the end, on whatever thread it runs. */
void session_set_model(struct session *session, size_t size,
        const uint8_t *model, uint64_t variant);

/* The session, made by session_init(), must not move before session_close(),
 * which is due in any case; a zeroed one is fine there. Notes its phases in
 * report, some of them from a thread that brings the working set into memory:
 * session_end_prefetch() waits for it, and is due before anything is created.
 */
bool session_open(struct session *session,
        const struct session_options *options, struct report *report,
        struct failure *failure);

void session_end_prefetch(struct session *session);

/* True if the store has the engine's blob: then no process needs its probe. */
bool session_has_engine(const struct session *session);

/* What device, driver and library are, as text; "" if they have no identity. */
enum { session_identity_size = 33 };
void session_identity(
        const struct session *session, char text[session_identity_size]);

/* Says so, once, if the store did not keep what it was given. */
void session_warn_unkept(const struct session *session);
/* Tells the caller, if no other thread uses the session. */
void session_warn(const struct session *session, const char *text);

/* Keeps the list of what was needed, if it is another one than at the start. */
void session_keep_working_set(struct session *session);

void session_close(struct session *session);

#endif /* DNNL_CACHE_MODEL_COMPILE_SESSION_H */

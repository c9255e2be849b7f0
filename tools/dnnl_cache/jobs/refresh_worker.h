/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_worker.h: the process that makes entries from the notes of a journal.
 *
 * It is this program again, started by "dnnl-cache refresh" with
 * REFRESH_WORKER and a folder of its own (src/worker/worker.h). For each order
 * it makes the entry that work0 or work1 asks for, and answers what came of it.
 * The folder has
 *   work0, work1    one job after the other; the next is written into the one
 *                   while the worker has the other
 *     job           a store whose journal has the notes: builds that are linked
 *                   first, the build that is wanted last, and its launches
 *     user_data     what the application keeps in the present entry; may be
 *                   missing
 *     made          machine code that one process leaves to the next, or that
 *                   the present entry has
 *     all_launches  if it is there, the functions for all launches are wanted
 *     headers       those that a record brings; where the compiler works
 *   result          a store that entries are put into, by the worker or the
 *                   layer
 *   driver          the files of a driver
 *   room            while somebody looks whether there is room
 * The worker never sees the store that is refreshed. It makes an entry only if
 * the ID of what it compiles is that of the note: so whatever a note says, it
 * cannot get one program kept under the ID of another.
 */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_WORKER_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_WORKER_H

#include <dnnl_cache/store.h>

#include <stdbool.h>

#define REFRESH_WORKER "refresh-worker"
#define REFRESH_WORK "work"
#define REFRESH_JOB "job"
#define REFRESH_MADE "made"
#define REFRESH_ALL_LAUNCHES "all_launches"
#define REFRESH_HEADERS "headers"
#define REFRESH_RESULT "result"
#define REFRESH_USER_DATA "user_data"
#define REFRESH_ROOM "room"

/* Variable: classes of launches that jobs of the process may have, for
 * refresh_classes.h. */
#define REFRESH_CLASSES "DNNL_CACHE_REFRESH_CLASSES"
#define REFRESH_CHOSEN "DNNL_CACHE_REFRESH_CHOSEN"

/* Variable: 1: kernels are compiled for all launches, too, as drivers do that
 * are asked for a binary. */
#define REFRESH_COMPILES_ALL "DNNL_CACHE_REFRESH_ALL_LAUNCHES"

/* What came of a job. */
enum refresh_worker_exit {
    refresh_worker_ok = 0,
    refresh_worker_failed = 20,      /* the driver, memory */
    refresh_worker_no_device = 21,   /* no device of this machine has that ID */
    refresh_worker_other_id = 22,    /* the note and its ID do not match */
    refresh_worker_not_started = 23, /* the process is not what it should be */
    refresh_worker_no_room = 24,     /* what it made cannot be written */
    refresh_worker_no_entry = 25,    /* the layer stored none */
    refresh_worker_other_driver = 26, /* of the device that the ID names */
};

/* Opens a store of the folder, made if it may be; NULL: it cannot be. */
dnnl_cache_store_handle_t *refresh_worker_open_store(
        const char *folder, const char *name, bool read_only);

/* Can a file of that size be written in the folder? It is removed again. */
bool refresh_worker_has_room(const char *folder, uint64_t size);

/* Runs the worker with main()'s arguments. */
int refresh_worker_run(int argc, char **argv);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_WORKER_H */

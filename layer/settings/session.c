/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/settings/session.h"

#include "src/platform/environment.h"
#include "tools/common/state/run_session.h"

#include <pthread.h>
#include <stdlib.h>

/* Mapped until the process ends; a child of fork() goes on with it. */
static struct run_session *session;

static void open_session(void)
{
    const char *path = environment_get(RUN_SESSION_VARIABLE);
    if (path != NULL && path[0] == '/') session = run_session_open(path);
}

static struct run_session *get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_session);
    return session;
}

unsigned session_compile_begin(void)
{
    return get() != NULL ? run_session_begin(session)
                         : (unsigned)run_session_slots;
}

void session_compile_end(unsigned slot, bool is_good)
{
    if (get() != NULL) run_session_end(session, slot, is_good);
}

void session_count(enum session_count what)
{
    if (get() == NULL) return;
    switch (what) {
    case session_created:
        atomic_fetch_add(&session->created, 1);
        return;
    case session_loaded:
        atomic_fetch_add(&session->loaded, 1);
        return;
    case session_kept:
        atomic_fetch_add(&session->kept, 1);
        return;
    case session_deferred:
        atomic_fetch_add(&session->deferred, 1);
        return;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/ahead.h"

#include "src/platform/environment.h"
#include "tools/common/state/ahead_session.h"

#include <pthread.h>

/* Mapped until the process ends; a child of fork() goes on with it. */
static struct ahead_session *session;

/* The machine has no time for the other process, or that hangs. */
static atomic_bool is_too_slow;

static void open_session(void)
{
    const char *path = environment_get(AHEAD_SESSION_VARIABLE);
    if (path != NULL && path[0] == '/') session = ahead_session_open(path);
}

static struct ahead_session *get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_session);
    return session;
}

void ahead_ask(size_t id_size, const uint8_t *id)
{
    if (get() != NULL) ahead_session_ask(session, ahead_hash(id_size, id));
}

bool ahead_await(size_t id_size, const uint8_t *id)
{
    if (get() == NULL || atomic_load(&is_too_slow)) return false;
    switch (ahead_session_await(session, ahead_hash(id_size, id))) {
    case ahead_is_not_made:
        return false;
    case ahead_is_over:
        return true;
    case ahead_is_late:
        break;
    }
    atomic_store(&is_too_slow, true);
    return false;
}

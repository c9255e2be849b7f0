/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/run_session.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/shared_memory.h"

#include <string.h>

static const char magic[8] = {'d', 'n', 'n', 'l', 'r', 'u', 'n', '1'};

_Static_assert(sizeof(struct run_session) == 80 + 16 * run_session_slots,
        "programs of 32 bits and of 64 share it");

/* ---- The file ------------------------------------------------------------ */

int run_session_create(struct run_session **session)
{
    void *memory;
    const int fd =
            shared_memory_make(&memory, sizeof **session, "dnnl-cache-run");
    *session = memory;
    if (memory != NULL) memcpy((*session)->magic, magic, sizeof magic);
    return fd;
}

void run_session_close(struct run_session *session)
{
    shared_memory_close(session, sizeof *session);
}

struct run_session *run_session_open(const char *path)
{
    struct run_session *session = shared_memory_open(path, sizeof *session);
    if (session != NULL && memcmp(session->magic, magic, sizeof magic) != 0) {
        run_session_close(session);
        session = NULL;
    }
    return session;
}

/* ---- Waiting ------------------------------------------------------------- */

void run_session_await(
        struct run_session *session, uint32_t bell, int timeout_ms)
{
    shared_memory_wait(&session->bell, bell, timeout_ms);
}

void run_session_ring(struct run_session *session)
{
    atomic_fetch_add(&session->bell, 1);
    shared_memory_wake(&session->bell);
}

void run_session_set_shown(struct run_session *session, bool is_shown)
{
    atomic_store(&session->is_shown, is_shown);
    if (!is_shown) shared_memory_wake(&session->is_shown);
}

/* ---- Calls --------------------------------------------------------------- */

uint64_t run_session_oldest_ns(struct run_session *session)
{
    uint64_t oldest = 0;
    for (int i = 0; i < run_session_slots; i++) {
        struct run_session_slot *slot = &session->slots[i];
        uint_least32_t pid = atomic_load(&slot->pid);
        const uint64_t begun = atomic_load(&slot->begun_ns);
        if (pid == 0) continue;
        if (!process_is_there((long)pid))
            (void)atomic_compare_exchange_strong(&slot->pid, &pid, 0);
        else if (begun != 0 && (oldest == 0 || begun < oldest))
            oldest = begun;
    }
    return oldest;
}

unsigned run_session_begin(struct run_session *session)
{
    const uint_least32_t self = (uint_least32_t)process_number();
    unsigned i = 0;
    for (; i < run_session_slots; i++) {
        struct run_session_slot *slot = &session->slots[i];
        uint_least32_t is_free = 0;
        if (!atomic_compare_exchange_strong(&slot->pid, &is_free, self))
            continue;
        atomic_store(&slot->begun_ns, clock_ns());
        break;
    }
    atomic_fetch_add(&session->begun, 1);
    run_session_ring(session);
    return i;
}

/* Only the runner takes the line off; one that has been stopped does not. */
static void await_no_line(struct run_session *session)
{
    enum { most_ns = 100000000, step_ms = 20 };
    const uint64_t end = clock_ns() + most_ns;
    while (atomic_load(&session->is_shown) != 0) {
        if (clock_ns() >= end) {
            atomic_store(&session->is_shown, 0);
            return;
        }
        shared_memory_wait(&session->is_shown, 1, step_ms);
    }
}

void run_session_end(struct run_session *session, unsigned i, bool is_good)
{
    if (i < run_session_slots) {
        struct run_session_slot *slot = &session->slots[i];
        const uint64_t begun = atomic_load(&slot->begun_ns);
        atomic_fetch_add(&session->compile_ns, clock_ns() - begun);
        atomic_store(&slot->begun_ns, 0);
        atomic_store(&slot->pid, 0);
    }
    if (is_good) atomic_fetch_add(&session->compiled, 1);
    atomic_fetch_add(&session->ended, 1);
    run_session_ring(session);
    await_no_line(session);
}

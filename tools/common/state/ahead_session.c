/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/ahead_session.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/shared_memory.h"

#include <string.h>

#include <xxhash.h>

static const char magic[8] = {'d', 'n', 'n', 'l', 'a', 'h', 'd', '1'};

_Static_assert(sizeof(struct ahead_session)
                       == 8 + 8 + ahead_application_size + ahead_record_size
                                  + 6 * 8 + 6 * 8 + 8 * ahead_most_made
                                  + 8 * ahead_most_asked,
        "programs of 32 bits and of 64 share it");

uint64_t ahead_hash(size_t id_size, const uint8_t *id)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    return hash != 0 ? hash : 1;
}

/* ---- The file ------------------------------------------------------------ */

int ahead_session_create(struct ahead_session **session)
{
    void *memory;
    const int fd =
            shared_memory_make(&memory, sizeof **session, "dnnl-cache-ahead");
    *session = memory;
    if (memory != NULL) memcpy((*session)->magic, magic, sizeof magic);
    return fd;
}

void ahead_session_close(struct ahead_session *session)
{
    if (session != NULL) shared_memory_close(session, sizeof *session);
}

struct ahead_session *ahead_session_open(const char *path)
{
    struct ahead_session *session = shared_memory_open(path, sizeof *session);
    if (session != NULL && memcmp(session->magic, magic, sizeof magic) != 0) {
        ahead_session_close(session);
        session = NULL;
    }
    return session;
}

/* ---- What is asked for --------------------------------------------------- */

/* A program has one of so many places. */
enum { most_places = 64 };

static atomic_uint_least64_t *place_of(
        struct ahead_session *session, uint64_t program, size_t i)
{
    return &session->asked[(program + i) % ahead_most_asked];
}

void ahead_session_ask(struct ahead_session *session, uint64_t program)
{
    bool is_there = false;
    for (size_t i = 0; !is_there && i < most_places; i++) {
        uint_least64_t found = 0;
        const bool is_new = atomic_compare_exchange_strong(
                place_of(session, program, i), &found, program);
        if (is_new) atomic_fetch_add(&session->asked_count, 1);
        is_there = is_new || found == program;
    }
    if (!is_there) atomic_fetch_add(&session->lost, 1);
    atomic_store(&session->last, program);
}

bool ahead_session_is_asked(struct ahead_session *session, uint64_t program)
{
    for (size_t i = 0; i < most_places; i++) {
        const uint64_t found = atomic_load(place_of(session, program, i));
        if (found == program || found == 0) return found != 0;
    }
    return false;
}

/* A program that did not find a place in the table may be any of them. */
struct ahead_counts ahead_session_count(struct ahead_session *session)
{
    const uint64_t count = atomic_load(&session->made_count);
    struct ahead_counts counts = {
            .made = count < ahead_most_made ? count : ahead_most_made};
    for (size_t i = 0; i < counts.made; i++)
        counts.unused += !ahead_session_is_asked(
                session, atomic_load(&session->made[i]));
    const uint64_t lost = atomic_load(&session->lost);
    counts.unused -= lost < counts.unused ? lost : counts.unused;
    return counts;
}

/* ---- What is made -------------------------------------------------------- */

bool ahead_session_claim(struct ahead_session *session)
{
    uint_least64_t none = 0;
    return atomic_compare_exchange_strong(
            &session->owner, &none, (uint_least64_t)process_number());
}

void ahead_session_begin(
        struct ahead_session *session, uint64_t program, uint64_t limit_ns)
{
    atomic_store(&session->limit_ns, limit_ns);
    atomic_store(&session->work, program);
}

void ahead_session_end(struct ahead_session *session, bool is_made)
{
    const uint64_t program = atomic_exchange(&session->work, 0);
    const uint64_t count = atomic_load(&session->made_count);
    if (program == 0) return;
    if (is_made && count < ahead_most_made) {
        atomic_store(&session->made[count], program);
        atomic_store(&session->made_count, count + 1);
    }
    atomic_fetch_add(&session->bell, 1);
    shared_memory_wake(&session->bell);
}

void ahead_session_complete(struct ahead_session *session)
{
    atomic_store(&session->is_complete, 1);
}

static void wait_some(
        struct ahead_session *session, uint32_t bell, uint64_t rest_ns)
{
    /* Its maker may die without a word. */
    enum { most_ms = 50 };
    const uint64_t ms = rest_ns / 1000000u + 1;
    shared_memory_wait(
            &session->bell, bell, ms < most_ms ? (int)ms : (int)most_ms);
}

static enum ahead_wait wait_for(struct ahead_session *session, uint64_t program,
        uint64_t begun_ns, uint64_t limit_ns)
{
    for (;;) {
        const uint32_t bell = atomic_load(&session->bell);
        const uint64_t waited_ns = clock_ns() - begun_ns;
        if (atomic_load(&session->work) != program
                || !process_is_there((long)atomic_load(&session->owner)))
            return ahead_is_over;
        if (waited_ns >= limit_ns) return ahead_is_late;
        wait_some(session, bell, limit_ns - waited_ns);
    }
}

enum ahead_wait ahead_session_await(
        struct ahead_session *session, uint64_t program)
{
    const uint64_t begun_ns = clock_ns();
    if (atomic_load(&session->work) != program) return ahead_is_not_made;
    const uint64_t limit_ns = atomic_load(&session->limit_ns);
    /* Of another program, if that was begun meanwhile. */
    if (limit_ns == 0 || atomic_load(&session->work) != program)
        return ahead_is_not_made;
    const enum ahead_wait end = wait_for(session, program, begun_ns, limit_ns);
    atomic_fetch_add(&session->waits, 1);
    atomic_fetch_add(&session->wait_ns, clock_ns() - begun_ns);
    if (end == ahead_is_late) atomic_fetch_add(&session->late, 1);
    return end;
}

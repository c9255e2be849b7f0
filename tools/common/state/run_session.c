/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/run_session.h"

#include "src/platform/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = "dnnlrun1";

_Static_assert(sizeof(struct run_session) == 80 + 16 * run_session_slots,
        "programs of 32 bits and of 64 share it");

/* ---- The file ------------------------------------------------------------ */

static struct run_session *map(int fd)
{
    void *at = mmap(NULL, sizeof(struct run_session), PROT_READ | PROT_WRITE,
            MAP_SHARED, fd, 0);
    return at != MAP_FAILED ? at : NULL;
}

int run_session_create(struct run_session **session)
{
    enum { seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
    const int fd =
            memfd_create("dnnl-cache-run", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    *session = NULL;
    if (fd < 0) return -1;
    if (ftruncate(fd, (off_t)sizeof **session) == 0
            && fcntl(fd, F_ADD_SEALS, seals) == 0)
        *session = map(fd);
    if (*session == NULL) {
        close(fd);
        return -1;
    }
    memcpy((*session)->magic, magic, sizeof magic);
    return fd;
}

void run_session_close(struct run_session *session)
{
    if (session != NULL) (void)munmap(session, sizeof *session);
}

struct run_session *run_session_open(const char *path)
{
    struct run_session *session = NULL;
    struct stat st;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return NULL;
    /* Only a file in memory has seals: a path that leads elsewhere does no
     * harm. */
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat(fd, &st) == 0
            && st.st_uid == geteuid() && st.st_size == (off_t)sizeof *session)
        session = map(fd);
    close(fd);
    if (session != NULL && memcmp(session->magic, magic, sizeof magic) != 0) {
        run_session_close(session);
        session = NULL;
    }
    return session;
}

/* ---- Waiting ------------------------------------------------------------- */

/* Between processes: not FUTEX_PRIVATE. */
static void wait_while(
        atomic_uint_least32_t *word, uint32_t value, int timeout_ms)
{
    const struct timespec timeout = {
            timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    (void)syscall(SYS_futex, word, FUTEX_WAIT, value,
            timeout_ms >= 0 ? &timeout : NULL, NULL, 0);
}

static void wake(atomic_uint_least32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void run_session_await(
        struct run_session *session, uint32_t bell, int timeout_ms)
{
    wait_while(&session->bell, bell, timeout_ms);
}

void run_session_ring(struct run_session *session)
{
    atomic_fetch_add(&session->bell, 1);
    wake(&session->bell);
}

void run_session_set_shown(struct run_session *session, bool is_shown)
{
    atomic_store(&session->is_shown, is_shown);
    if (!is_shown) wake(&session->is_shown);
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
        if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
            (void)atomic_compare_exchange_strong(&slot->pid, &pid, 0);
        else if (begun != 0 && (oldest == 0 || begun < oldest))
            oldest = begun;
    }
    return oldest;
}

unsigned run_session_begin(struct run_session *session)
{
    const uint_least32_t self = (uint_least32_t)getpid();
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
        wait_while(&session->is_shown, 1, step_ms);
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

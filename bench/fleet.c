/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include "failure.h"
#include "fleet_host.h"
#include "src/platform/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Hosts of a process, which has three or four descriptors for each. */
enum { stack_bytes = 256 * 1024, most_of_process = 500, most_processes = 64 };

/* What the processes share: zeroed memory, but for the barrier. */
struct fleet {
    struct fleet_options options;
    char socket[sizeof((struct fleet_server *)0)->socket];
    const uint8_t *blob; /* each process has its own */
    pthread_barrier_t begin;
    uint64_t began_ns;
    atomic_uint connected; /* hosts */
    atomic_uint compiled, failed;
    atomic_uint_fast64_t first_ns, last_ns, longest_ns;
};

struct seat {
    struct fleet *fleet;
    pthread_t thread;
    struct fleet_host host;
};

static void note_least(atomic_uint_fast64_t *least, uint64_t value)
{
    uint64_t now = atomic_load(least);
    while ((now == 0 || value < now)
            && !atomic_compare_exchange_weak(least, &now, value))
        ;
}

static void note_most(atomic_uint_fast64_t *most, uint64_t value)
{
    uint64_t now = atomic_load(most);
    while (value > now && !atomic_compare_exchange_weak(most, &now, value))
        ;
}

/* ---- A process of hosts -------------------------------------------------- */

static void *run_host(void *user)
{
    struct seat *seat = user;
    struct fleet *fleet = seat->fleet;
    fleet_host_connect(&seat->host);
    atomic_fetch_add(&fleet->connected, 1);
    (void)pthread_barrier_wait(&fleet->begin);
    fleet_host_start(&seat->host);
    const uint64_t ready_ns = clock_ns();
    note_least(&fleet->first_ns, ready_ns);
    note_most(&fleet->last_ns, ready_ns);
    note_most(&fleet->longest_ns, seat->host.longest_ns);
    atomic_fetch_add(&fleet->compiled, seat->host.compiled);
    atomic_fetch_add(&fleet->failed, seat->host.failed);
    return NULL;
}

/* Exit statuses, which the parent says in words. */
enum { exit_no_store = 1, exit_no_thread, exit_no_memory, exit_no_lease };

static void run_process(struct fleet *fleet, unsigned hosts)
{
    struct seat *seats = calloc(hosts, sizeof *seats);
    pthread_attr_t attributes;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (seats == NULL || pthread_attr_init(&attributes) != 0)
        _exit(exit_no_memory);
    (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    for (unsigned i = 0; i < hosts; i++) {
        seats[i].fleet = fleet;
        if (!fleet_host_init(&seats[i].host, fleet->socket, &fleet->options,
                    fleet->blob))
            _exit(exit_no_store);
    }
    for (unsigned i = 0; i < hosts; i++)
        if (pthread_create(&seats[i].thread, &attributes, run_host, &seats[i])
                != 0)
            _exit(exit_no_thread);
    for (unsigned i = 0; i < hosts; i++)
        (void)pthread_join(seats[i].thread, NULL);
    for (unsigned i = 0; i < hosts; i++)
        fleet_host_fini(&seats[i].host);
    _exit(0);
}

/* One host that leads the first program and is killed. */
static void run_victim(struct fleet *fleet)
{
    struct fleet_host host;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!fleet_host_init(&host, fleet->socket, &fleet->options, fleet->blob))
        _exit(exit_no_store);
    if (!fleet_host_lead(&host)) _exit(exit_no_lease);
    atomic_fetch_add(&fleet->connected, 1);
    (void)pthread_barrier_wait(&fleet->begin);
    fleet_host_go_on(&host, fleet->socket, fleet->options.death);
    (void)raise(SIGKILL);
}

/* ---- The processes ------------------------------------------------------- */

struct processes {
    pid_t pids[most_processes];
    size_t count; /* begun */
    size_t ended;
    pid_t victim; /* 0: none is to be killed */
    bool has_failed;
};

static void note_failure(struct processes *all, const char *text)
{
    if (!all->has_failed) failure_set("%s", text);
    all->has_failed = true;
}

static void note_status(struct processes *all, pid_t pid, int status)
{
    static const char *const words[] = {"", "a store cannot be opened",
            "no thread for a host", "no memory for hosts",
            "the host to be killed got no lease"};
    const int exited = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    all->ended++;
    /* A signal is the end of the one that is to be killed. */
    if (WIFSIGNALED(status) && pid != all->victim)
        note_failure(all, "a process of hosts was killed");
    if (exited != 0)
        note_failure(all, exited < (int)(sizeof words / sizeof *words)
                                  ? words[exited]
                                  : "a process failed");
}

static void reap(struct processes *all)
{
    int status;
    for (size_t i = 0; i < all->count; i++)
        if (all->pids[i] > 0
                && waitpid(all->pids[i], &status, WNOHANG) == all->pids[i]) {
            note_status(all, all->pids[i], status);
            all->pids[i] = 0;
        }
}

static bool begin_processes(
        struct processes *all, struct fleet *fleet, unsigned hosts)
{
    const bool has_victim = fleet->options.death != fleet_death_none;
    for (unsigned left = hosts; left > 0 || all->count == 0;) {
        const unsigned some = left < most_of_process ? left : most_of_process;
        const pid_t pid = all->count < most_processes - 1 ? fork() : -1;
        if (pid == 0) run_process(fleet, some);
        if (pid < 0) {
            failure_set("no process for %u hosts", some);
            return false;
        }
        all->pids[all->count++] = pid;
        left -= some;
    }
    if (!has_victim) return true;
    const pid_t pid = fork();
    if (pid == 0) run_victim(fleet);
    if (pid > 0) all->victim = all->pids[all->count++] = pid;
    if (pid < 0) failure_set("no process");
    return pid > 0;
}

static void end_processes(struct processes *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->pids[i] > 0) {
            (void)kill(all->pids[i], SIGKILL);
            while (waitpid(all->pids[i], NULL, 0) < 0 && errno == EINTR)
                ;
        }
}

/* ---- A start ------------------------------------------------------------- */

static bool await_connected(
        struct processes *all, const struct fleet *fleet, unsigned count)
{
    while (atomic_load(&fleet->connected) < count && !all->has_failed) {
        reap(all);
        (void)poll(NULL, 0, 1);
    }
    return !all->has_failed;
}

static bool await_end(struct processes *all)
{
    while (all->ended < all->count && !all->has_failed) {
        reap(all);
        (void)poll(NULL, 0, 10);
    }
    return !all->has_failed;
}

static void gather(struct fleet_start *start, struct fleet *fleet)
{
    *start = (struct fleet_start){
            .first_ns =
                    (double)(atomic_load(&fleet->first_ns) - fleet->began_ns),
            .last_ns = (double)(atomic_load(&fleet->last_ns) - fleet->began_ns),
            .compiled = atomic_load(&fleet->compiled),
            .failed = atomic_load(&fleet->failed),
            .longest_wait_ns = (double)atomic_load(&fleet->longest_ns),
    };
}

static bool run(struct fleet_start *start, struct processes *all,
        struct fleet *fleet, struct fleet_server *server, unsigned threads)
{
    if (!await_connected(all, fleet, threads)) return false;
    const uint64_t requests =
            fleet_server_info(server, "total_commands_processed");
    const uint64_t bytes = fleet_server_info(server, "total_net_output_bytes");
    fleet->began_ns = clock_ns();
    (void)pthread_barrier_wait(&fleet->begin);
    if (!await_end(all)) return false;
    gather(start, fleet);
    start->requests =
            (double)(fleet_server_info(server, "total_commands_processed")
                     - requests);
    start->sent_bytes =
            (double)(fleet_server_info(server, "total_net_output_bytes")
                     - bytes);
    return true;
}

static bool measure(struct fleet_start *start, struct fleet *fleet,
        struct fleet_server *server, unsigned hosts)
{
    struct processes all = {.count = 0};
    pthread_barrierattr_t shared;
    const unsigned threads =
            hosts + (fleet->options.death != fleet_death_none ? 1 : 0);
    if (pthread_barrierattr_init(&shared) != 0
            || pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED)
                       != 0
            || pthread_barrier_init(&fleet->begin, &shared, threads + 1) != 0) {
        failure_set("no barrier for %u hosts", hosts);
        return false;
    }
    const bool is_good = begin_processes(&all, fleet, hosts)
                         && run(start, &all, fleet, server, threads);
    end_processes(&all);
    if (is_good) (void)pthread_barrier_destroy(&fleet->begin);
    return is_good;
}

bool fleet_measure(struct fleet_start *start, struct fleet_server *server,
        const struct fleet_options *options, unsigned hosts)
{
    uint8_t *blob = malloc(options->blob_bytes);
    struct fleet *fleet = mmap(NULL, sizeof *fleet, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool is_good = blob != NULL && fleet != MAP_FAILED;
    if (!is_good) failure_set("out of memory");
    if (is_good) {
        for (unsigned i = 0; i < options->blob_bytes; i++)
            blob[i] = (uint8_t)(i * 2654435761u >> 24);
        fleet->options = *options;
        fleet->blob = blob;
        memcpy(fleet->socket, server->socket, sizeof fleet->socket);
        is_good = fleet_server_clear(server)
                  && measure(start, fleet, server, hosts);
    }
    if (fleet != MAP_FAILED) (void)munmap(fleet, sizeof *fleet);
    free(blob);
    return is_good;
}

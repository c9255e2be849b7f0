/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include "failure.h"
#include "fleet_host.h"
#include "fleet_plain.h"
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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Hosts of a process, which has two to four descriptors for each. */
enum { stack_bytes = 256 * 1024, most_of_process = 500, most_processes = 64 };

/* What the processes share: zeroed memory, but for the barrier. */
struct fleet {
    struct fleet_options options;
    char socket[sizeof((struct fleet_server *)0)->socket];
    const uint8_t *blob; /* each process has its own */
    pthread_barrier_t begin;
    uint64_t began_ns;
    unsigned threads;      /* hosts, with the one that is killed */
    atomic_uint connected; /* of these */
    atomic_uint compiled, failed;
    atomic_uint_fast64_t first_ns, last_ns, longest_ns, cpu_ns;
};

struct seat {
    struct fleet *fleet;
    pthread_t thread;
    struct fleet_host host;
    struct fleet_plain plain; /* instead */
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

static void await_begin(struct fleet *fleet)
{
    atomic_fetch_add(&fleet->connected, 1);
    (void)pthread_barrier_wait(&fleet->begin);
}

static void note_ready(struct fleet *fleet)
{
    const uint64_t ready_ns = clock_ns();
    note_least(&fleet->first_ns, ready_ns);
    note_most(&fleet->last_ns, ready_ns);
}

static void *run_host(void *user)
{
    struct seat *seat = user;
    struct fleet *fleet = seat->fleet;
    fleet_host_connect(&seat->host);
    await_begin(fleet);
    fleet_host_start(&seat->host);
    note_ready(fleet);
    note_most(&fleet->longest_ns, seat->host.longest_ns);
    atomic_fetch_add(&fleet->compiled, seat->host.compiled);
    atomic_fetch_add(&fleet->failed, seat->host.failed);
    return NULL;
}

static void *run_plain(void *user)
{
    struct seat *seat = user;
    struct fleet *fleet = seat->fleet;
    fleet_plain_init(&seat->plain, fleet->socket, &fleet->options);
    await_begin(fleet);
    fleet_plain_start(&seat->plain, fleet->began_ns);
    note_ready(fleet);
    note_most(&fleet->longest_ns, seat->plain.longest_ns);
    atomic_fetch_add(&fleet->failed, seat->plain.failed);
    return NULL;
}

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Of this process. */
static uint64_t cpu_ns(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

/* Exit statuses, which the parent says in words. */
enum { exit_no_store = 1, exit_no_thread, exit_no_memory, exit_no_lease };

/* Begins with all others; the processor time is taken before. */
static uint64_t begin_counting(struct fleet *fleet)
{
    while (atomic_load(&fleet->connected) < fleet->threads)
        (void)poll(NULL, 0, 5);
    const uint64_t before_ns = cpu_ns();
    (void)pthread_barrier_wait(&fleet->begin);
    return before_ns;
}

static void end_seat(struct seat *seat)
{
    fleet_host_fini(&seat->host);
    fleet_plain_fini(&seat->plain);
}

static void run_process(struct fleet *fleet, unsigned hosts)
{
    const bool is_plain = fleet->options.is_plain;
    struct seat *seats = calloc(hosts, sizeof *seats);
    pthread_attr_t attributes;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (seats == NULL || pthread_attr_init(&attributes) != 0)
        _exit(exit_no_memory);
    (void)pthread_attr_setstacksize(&attributes, stack_bytes);
    for (unsigned i = 0; i < hosts; i++) {
        seats[i].fleet = fleet;
        if (!is_plain
                && !fleet_host_init(&seats[i].host, fleet->socket,
                        &fleet->options, fleet->blob))
            _exit(exit_no_store);
    }
    for (unsigned i = 0; i < hosts; i++)
        if (pthread_create(&seats[i].thread, &attributes,
                    is_plain ? run_plain : run_host, &seats[i])
                != 0)
            _exit(exit_no_thread);
    const uint64_t before_ns = begin_counting(fleet);
    for (unsigned i = 0; i < hosts; i++)
        (void)pthread_join(seats[i].thread, NULL);
    atomic_fetch_add(&fleet->cpu_ns, cpu_ns() - before_ns);
    for (unsigned i = 0; i < hosts; i++)
        end_seat(&seats[i]);
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

static bool await_end(struct processes *all, const struct fleet *fleet,
        struct fleet_server *server, uint64_t *connections)
{
    const uint64_t middle_ns = fleet->began_ns
                               + (uint64_t)fleet->options.programs
                                         * fleet->options.compile_ms * 500000u;
    while (all->ended < all->count && !all->has_failed) {
        if (*connections == 0 && clock_ns() >= middle_ns)
            *connections = fleet_server_info(server, "connected_clients");
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
            .host_cpu_ns = (double)atomic_load(&fleet->cpu_ns),
    };
}

static bool run(struct fleet_start *start, struct processes *all,
        struct fleet *fleet, struct fleet_server *server, unsigned threads)
{
    if (!await_connected(all, fleet, threads)) return false;
    const uint64_t requests =
            fleet_server_info(server, "total_commands_processed");
    const uint64_t bytes = fleet_server_info(server, "total_net_output_bytes");
    const double cpu = fleet_server_cpu_ns(server);
    fleet->began_ns = clock_ns();
    (void)pthread_barrier_wait(&fleet->begin);
    uint64_t connections = 0;
    if (!await_end(all, fleet, server, &connections)) return false;
    gather(start, fleet);
    start->connections = (double)connections;
    start->server_cpu_ns = fleet_server_cpu_ns(server) - cpu;
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
    const unsigned of_hosts = (hosts + most_of_process - 1) / most_of_process;
    fleet->threads = threads;
    if (pthread_barrierattr_init(&shared) != 0
            || pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED)
                       != 0
            || pthread_barrier_init(
                       &fleet->begin, &shared, threads + of_hosts + 1)
                       != 0) {
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
                  && (!options->is_plain || fleet_plain_fill(server, options))
                  && measure(start, fleet, server, hosts);
    }
    if (fleet != MAP_FAILED) (void)munmap(fleet, sizeof *fleet);
    free(blob);
    return is_good;
}

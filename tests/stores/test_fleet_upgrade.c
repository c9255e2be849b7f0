/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rolling upgrade of a fleet over one real redis-server. Each host has a
 * folder with its driver and a local store, and services: processes that keep
 * the driver which they have loaded, while its file is replaced by another
 * build's. A driver writes into its build logs which one it is, and logs are
 * in entries: so whose an entry is does not depend on its ID.
 */
#include "dnnl_cache/remote_store.h"
#include "dnnl_cache/tiers.h"
#include "programs.h"
#include "redis_server.h"
#include "rig.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { most_hosts = 50, programs = 4, path_size = 512, drivers = 2 };

static struct redis_process server;

static const struct driver {
    const char *name;
    const char *file;
} all_drivers[drivers] = {{"old", OLD_DRIVER}, {"new", NEW_DRIVER}};

/* ---- A host's files ------------------------------------------------------ */

static const char *host_path(
        char path[path_size], unsigned host, const char *name)
{
    snprintf(path, path_size, "%.300s/host%u/%s", test_directory(), host, name);
    return path;
}

/* As package managers do. */
static void install(unsigned host, const struct driver *driver)
{
    char command[5 * path_size];
    char path[path_size];
    host_path(path, host, "libfake.so");
    snprintf(command, sizeof command,
            "cp '%.400s' '%s.new' && mv '%s.new' '%s'", driver->file, path,
            path, path);
    EXPECT_EQ(0, system(command));
}

static void make_host(unsigned host)
{
    char path[path_size];
    char library[path_size];
    EXPECT_EQ(0, mkdir(host_path(path, host, ""), 0700));
    install(host, &all_drivers[0]);
    FILE *file = fopen(host_path(path, host, "fake.icd"), "w");
    ASSERT_NOT_NULL(file);
    fprintf(file, "%s\n", host_path(library, host, "libfake.so"));
    EXPECT_EQ(0, fclose(file));
}

/* ---- In a service -------------------------------------------------------- */

/* Programs from first on: to be built by a service; none: it ends. */
struct order {
    unsigned first, count;
};

struct outcome {
    unsigned compiled;
    unsigned found; /* in a store, or in memory */
    unsigned wrong;
};

static void load_driver(unsigned host, const struct driver *driver)
{
    static char vendors[path_size + 32];
    char path[path_size];
    snprintf(vendors, sizeof vendors, "OCL_ICD_VENDORS=%s",
            host_path(path, host, ""));
    EXPECT_EQ(0, putenv(vendors));
    fake_opencl_control_open(host_path(path, host, "libfake.so"));
    EXPECT_NOT_NULL(rig_platform());
    fake_opencl_set("BUILD_LOG", driver->name);
}

static void open_remote_as(char url[path_size])
{
    snprintf(url, path_size, "unix://%s?insecure=1&timeout_ms=20000",
            server.socket);
}

static dnnl_cache_store_handle_t *open_stores(unsigned host)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers tiers = DNNL_CACHE_STORE_TIERS_INIT;
    char path[path_size];
    char url[path_size];
    open_remote_as(url);
    local.path = host_path(path, host, "store");
    tiers.local = &local;
    tiers.remote = url;
    tiers.needs_local = true;
    EXPECT_OK(dnnl_cache_store_open_tiers(&store, &tiers));
    return store;
}

static bool has_log_of(
        dnnl_cache_program_t program, const struct driver *driver)
{
    char log[64] = "";
    size_t size = sizeof log;
    EXPECT_OK(dnnl_cache_program_get_build_log(program, &size, log));
    return strcmp(log, driver->name) == 0;
}

static void build_one(dnnl_engine_t engine, unsigned number,
        const struct driver *driver, struct outcome *outcome)
{
    char options[32];
    snprintf(options, sizeof options, "-DN=%u", number);
    dnnl_cache_program_t program = build(engine, scale_source, options);
    const dnnl_cache_origin_t origin = info_of(program).origin;
    outcome->compiled += origin == dnnl_cache_origin_compiled;
    outcome->found += origin == dnnl_cache_origin_store_hit
                      || origin == dnnl_cache_origin_memory_hit;
    outcome->wrong += !has_log_of(program, driver);
    EXPECT_OK(dnnl_cache_program_destroy(program));
}

/* Loads the driver, says so, and takes orders. What identifies the driver comes
 * with the first one. */
static void serve(
        unsigned host, const struct driver *driver, int orders, int answers)
{
    struct rig rig;
    struct order order;
    dnnl_cache_store_handle_t *store = NULL;
    load_driver(host, driver);
    (void)!write(answers, "", 1);
    while (read(orders, &order, sizeof order) == sizeof order
            && order.count > 0) {
        struct outcome outcome = {0};
        if (store == NULL) {
            rig_open(&rig, 0);
            fake_opencl_set("BUILD_LOG", driver->name);
            store = open_stores(host);
            EXPECT_OK(dnnl_cache_engine_set_store(
                    rig.engine, dnnl_cache_store_get_callbacks(store)));
        }
        for (unsigned i = 0; i < order.count; i++)
            build_one(rig.engine, order.first + (i + host) % order.count,
                    driver, &outcome);
        outcome.wrong += test_has_failed();
        (void)!write(answers, &outcome, sizeof outcome);
    }
    if (store != NULL) {
        EXPECT_OK(dnnl_cache_engine_set_store(rig.engine, NULL));
        rig_close(&rig);
        dnnl_cache_store_close(store);
    }
    (void)fflush(NULL);
    _exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* ---- Services ------------------------------------------------------------ */

struct service {
    pid_t pid;
    int orders, answers;
};

static void start_service(
        struct service *service, unsigned host, const struct driver *driver)
{
    int orders[2];
    int answers[2];
    char byte;
    ASSERT_EQ(0, pipe2(orders, O_CLOEXEC));
    ASSERT_EQ(0, pipe2(answers, O_CLOEXEC));
    service->pid = fork();
    if (service->pid == 0) {
        (void)close(orders[1]);
        (void)close(answers[0]);
        serve(host, driver, orders[0], answers[1]);
    }
    (void)close(orders[0]);
    (void)close(answers[1]);
    service->orders = orders[1];
    service->answers = answers[0];
    EXPECT_EQ(1, read(service->answers, &byte, 1));
}

static void give_order(const struct service *service, struct order order)
{
    EXPECT_EQ(sizeof order, write(service->orders, &order, sizeof order));
}

static void add_answer(const struct service *service, struct outcome *sum)
{
    struct outcome one = {0};
    EXPECT_EQ(sizeof one, read(service->answers, &one, sizeof one));
    sum->compiled += one.compiled;
    sum->found += one.found;
    sum->wrong += one.wrong;
}

static struct outcome order_one(
        const struct service *service, unsigned first, unsigned count)
{
    struct outcome outcome = {0};
    give_order(service, (struct order){first, count});
    add_answer(service, &outcome);
    EXPECT_EQ(0, outcome.wrong);
    return outcome;
}

static void end_services(struct service *services, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        int status = -1;
        give_order(&services[i], (struct order){0, 0});
        while (waitpid(services[i].pid, &status, 0) < 0 && errno == EINTR)
            ;
        EXPECT_EQ(0, status);
        (void)close(services[i].orders);
        (void)close(services[i].answers);
    }
}

/* ---- What is on the server ----------------------------------------------- */

static bool count_entry(void *user, const struct dnnl_cache_store_entry *item)
{
    unsigned *count = user;
    (void)item;
    ++*count;
    return true;
}

static unsigned entries_on_server(void)
{
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    char url[path_size];
    unsigned count = 0;
    open_remote_as(url);
    options.url = url;
    EXPECT_OK(dnnl_cache_store_open_remote(&store, &options));
    EXPECT_OK(dnnl_cache_store_iterate(store, count_entry, &count));
    dnnl_cache_store_close(store);
    return count;
}

/* ---- The upgrade --------------------------------------------------------- */

/* Numbers of programs that one host builds alone, and how often it does so. */
enum { of_changed = 1000, of_unchanged = 2000, runs = 2 };

struct upgrade {
    unsigned hosts;
    struct service old[most_hosts], fresh[most_hosts];
    struct outcome sums[drivers];
    unsigned of_unchanged; /* programs */
};

/* It has loaded the driver, and uses it only after that was replaced. */
static bool is_late(unsigned host)
{
    return host % 3 == 2;
}

static void start_old_services(struct upgrade *u)
{
    const struct order all = {0, programs};
    for (unsigned i = 0; i < u->hosts; i++) {
        make_host(i);
        start_service(&u->old[i], i, &all_drivers[0]);
    }
    for (unsigned i = 0; i < u->hosts; i++)
        if (!is_late(i)) give_order(&u->old[i], all);
    for (unsigned i = 0; i < u->hosts; i++)
        if (!is_late(i)) add_answer(&u->old[i], &u->sums[0]);
    EXPECT_EQ(programs, u->sums[0].compiled);
}

/* What runs on with its driver still has all programs, and compiles what it
 * lacks for itself. */
static void run_on(const struct upgrade *u, unsigned host, unsigned run)
{
    const unsigned number = of_changed + run * u->hosts + host;
    const struct outcome known = order_one(&u->old[host], 0, programs);
    EXPECT_EQ(programs, known.found + known.compiled);
    if (!is_late(host)) EXPECT_EQ(0, known.compiled);
    EXPECT_EQ(1, order_one(&u->old[host], number, 1).compiled);
}

/* Meanwhile the next host, which still has the old driver, compiles one more
 * program, and the one after it finds that. */
static void go_on(struct upgrade *u, unsigned host)
{
    const unsigned number = of_unchanged + host;
    unsigned users[2];
    unsigned count = 0;
    for (unsigned i = host + 1; i < u->hosts && count < 2; i++)
        if (!is_late(i)) users[count++] = i;
    if (count < 2) return;
    EXPECT_EQ(1, order_one(&u->old[users[0]], number, 1).compiled);
    EXPECT_EQ(1, order_one(&u->old[users[1]], number, 1).found);
    u->of_unchanged++;
}

static void upgrade_host(struct upgrade *u, unsigned host)
{
    install(host, &all_drivers[1]);
    run_on(u, host, 0);
    start_service(&u->fresh[host], host, &all_drivers[1]);
    give_order(&u->fresh[host], (struct order){0, programs});
    go_on(u, host);
    add_answer(&u->fresh[host], &u->sums[1]);
    run_on(u, host, 1);
}

/* On a host of its own: how many of the entries are this driver's. Of programs
 * that were compiled after the files had changed, there are those at most whose
 * service had not identified its driver before. */
static unsigned count_found(
        const struct upgrade *u, unsigned host, const struct driver *driver)
{
    struct service service;
    make_host(host);
    install(host, driver);
    start_service(&service, host, driver);
    unsigned found = order_one(&service, 0, programs).found;
    EXPECT_EQ(programs, found);
    found += order_one(&service, of_unchanged, u->hosts).found;
    for (unsigned i = 0; i < runs * u->hosts; i++) {
        const unsigned of_one = order_one(&service, of_changed + i, 1).found;
        EXPECT_LE(of_one, is_late(i % u->hosts) ? 1 : 0);
        found += of_one;
    }
    end_services(&service, 1);
    return found;
}

static void expect_stored(const struct upgrade *u)
{
    const unsigned count = entries_on_server();
    const unsigned of_old = count_found(u, u->hosts, &all_drivers[0]);
    const unsigned of_new = count_found(u, u->hosts + 1, &all_drivers[1]);
    EXPECT_LE(programs + u->of_unchanged, of_old);
    EXPECT_EQ(programs, of_new);
    EXPECT_EQ(count, of_old + of_new);
    printf("hosts: %u; entries: %u; with the old driver's ID: %u, with the new "
           "one's: %u\n",
            u->hosts, count, of_old, of_new);
}

static void upgrade(unsigned hosts)
{
    static struct upgrade u;
    memset(&u, 0, sizeof u);
    u.hosts = hosts;
    start_old_services(&u);
    for (unsigned i = 0; i < hosts; i++)
        upgrade_host(&u, i);
    EXPECT_EQ(0, u.sums[0].wrong);
    EXPECT_EQ(0, u.sums[1].wrong);
    EXPECT_EQ(programs, u.sums[1].compiled);
    EXPECT_EQ((hosts - 1) * programs, u.sums[1].found);
    end_services(u.old, hosts);
    end_services(u.fresh, hosts);
    expect_stored(&u);
}

TEST_REDIS(FleetUpgrade, OfSixHostsKeepsDriversApart)
{
    upgrade(6);
}

TEST_REDIS(FleetUpgrade, OfFiftyHostsKeepsDriversApart)
{
    upgrade(most_hosts);
}

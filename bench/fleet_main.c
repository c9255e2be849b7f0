/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_fleet_bench: many hosts over one Redis, and what a hit there and
 * on nginx costs compared with hiredis and libcurl.
 */
#include "driver.h"
#include "failure.h"
#include "fleet.h"
#include "fleet_rows.h"

#include <stdio.h>
#include <string.h>

enum {
    option_hosts = driver_own,
    option_programs,
    option_compile,
    option_killed,
    option_redis,
    option_nginx
};

static const struct option options[] = {DRIVER_OPTIONS,
        {"hosts", required_argument, NULL, option_hosts},
        {"programs", required_argument, NULL, option_programs},
        {"compile-ms", required_argument, NULL, option_compile},
        {"killed-hosts", required_argument, NULL, option_killed},
        {"redis", required_argument, NULL, option_redis},
        {"nginx", required_argument, NULL, option_nginx}, {NULL, 0, NULL, 0}};

enum { most_points = 16, most_hosts = 20000, killed_lease_ms = 3000 };

static struct fleet_options fleet = {.programs = 50,
        .compile_ms = 300,
        .blob_bytes = 8192,
        .lease_ms = 60000};
static unsigned hosts[most_points] = {1, 3, 10, 30, 100, 300, 1000, 3000};
static size_t host_count = 8;
static unsigned killed_hosts = 100;
static const char *redis = "redis-server";
static const char *nginx = "/usr/sbin/nginx";

static bool take_hosts(const char *list)
{
    host_count = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        long number;
        if (host_count == most_points
                || !driver_number(list, length, 1, most_hosts, &number))
            return false;
        hosts[host_count++] = (unsigned)number;
        if (list[length] == '\0') return true;
        list += length + 1;
    }
}

static bool take_number(const char *text, long most, unsigned *value)
{
    long number;
    if (!driver_number(text, strlen(text), 1, most, &number)) return false;
    *value = (unsigned)number;
    return true;
}

static bool take(int option, char *value)
{
    switch (option) {
    case option_hosts:
        return take_hosts(value);
    case option_programs:
        return take_number(value, 1000, &fleet.programs);
    case option_compile:
        return take_number(value, 10000, &fleet.compile_ms);
    case option_killed:
        return take_number(value, most_hosts, &killed_hosts);
    case option_redis:
        redis = value;
        return true;
    default:
        nginx = value;
        return true;
    }
}

static const struct row *row_at(size_t index)
{
    return index < fleet_row_count ? &fleet_rows[index] : NULL;
}

static bool measure(void *user, size_t row, struct result *result)
{
    return fleet_row_measure(user, row, result);
}

/* A fleet: who leads, of which there is one for each program, asks for more
 * than those who wait. */
static bool is_many(unsigned count)
{
    enum { least = 100 };
    return count >= least;
}

static void report_point(struct report *report, const char *operation,
        const char *unit, const char *what, double target, unsigned count,
        double ours, double reference)
{
    struct line line = {.target = target,
            .unit = unit,
            .store = "redis",
            .operation = operation,
            .versus = "base",
            .entries = count,
            .base = 1};
    snprintf(line.row, sizeof line.row, "fleet_%s_%u", operation, count);
    snprintf(line.what, sizeof line.what, "%s", what);
    set_result(&line.result, ours, reference);
    report_line(report, &line);
}

/* The same hosts with nothing but the GETs: what is left is ours. */
static bool run_plain(struct driver *driver, struct fleet_server *server,
        const struct fleet_start *fleet_start, unsigned count)
{
    struct fleet_options of_plain = fleet;
    struct fleet_start plain;
    const double wishes = (double)count * (double)fleet.programs;
    of_plain.is_plain = true;
    if (!fleet_measure(&plain, server, &of_plain, count)) return false;
    if (plain.failed > 0) {
        failure_set("hiredis: %.0f GETs failed", plain.failed);
        return false;
    }
    report_point(&driver->report, "ready_over_plain", "ns",
            "the last host has all programs / the same hosts GET as many by "
            "hiredis, one each time that compiling takes",
            1.3, count, fleet_start->last_ns, plain.last_ns);
    report_point(&driver->report, "cpu_of_hosts", "ns",
            "processor time of hosts, for each program of one / of hosts that "
            "GET it by hiredis",
            0, count, fleet_start->host_cpu_ns / wishes,
            plain.host_cpu_ns / wishes);
    report_point(&driver->report, "cpu_of_server", "ns",
            "processor time of the server, for each program of a host / for "
            "hosts that GET it by hiredis",
            0, count, fleet_start->server_cpu_ns / wishes,
            plain.server_cpu_ns / wishes);
    return true;
}

static bool run_fleet(struct driver *driver, struct fleet_server *server)
{
    const double alone_ns =
            (double)fleet.programs * (double)fleet.compile_ms * 1e6;
    for (size_t i = 0; i < host_count; i++) {
        struct fleet_start start;
        const double wishes = (double)hosts[i] * (double)fleet.programs;
        if (!fleet_measure(&start, server, &fleet, hosts[i])) return false;
        report_point(&driver->report, "ready", "ns",
                "the last host has all programs / compiling them once", 1.3,
                hosts[i], start.last_ns, alone_ns);
        report_point(&driver->report, "first", "ns",
                "the first host has all programs / compiling them once", 0,
                hosts[i], start.first_ns, alone_ns);
        report_point(&driver->report, "compiled", "programs",
                "programs compiled by all hosts / programs", 1, hosts[i],
                start.compiled + start.failed, (double)fleet.programs);
        report_point(&driver->report, "requests", "requests",
                "commands that the server counted / programs that hosts want",
                is_many(hosts[i]) ? 2 : 0, hosts[i], start.requests, wishes);
        report_point(&driver->report, "bytes", "bytes",
                "bytes that the server sent / bytes that hosts want", 0,
                hosts[i], start.sent_bytes, wishes * fleet.blob_bytes);
        report_point(&driver->report, "connections", "connections",
                "connections that the server has / hosts", 0, hosts[i],
                start.connections, (double)hosts[i]);
        if (is_many(hosts[i]) && !run_plain(driver, server, &start, hosts[i]))
            return false;
    }
    return true;
}

/* A host more leads the first program and is killed; the others, which wait
 * for it, have all programs in the end. */
static bool run_killed(struct driver *driver, struct fleet_server *server)
{
    static const char *const operations[fleet_death_count][2] = {{NULL, NULL},
            {"killed_before_compile", "killed_before_compile_compiled"},
            {"killed_in_compile", "killed_in_compile_compiled"},
            {"killed_before_put", "killed_before_put_compiled"},
            {"killed_before_release", "killed_before_release_compiled"}};
    struct fleet_options of_killed = fleet;
    const double alone_ns =
            (double)fleet.programs * (double)fleet.compile_ms * 1e6;
    of_killed.lease_ms = killed_lease_ms;
    for (int death = fleet_death_none + 1; death < fleet_death_count; death++) {
        struct fleet_start start;
        of_killed.death = (enum fleet_death)death;
        if (!fleet_measure(&start, server, &of_killed, killed_hosts))
            return false;
        report_point(&driver->report, operations[death][0], "ns",
                "the last host has all programs, one that led the first was "
                "killed / compiling them once",
                0, killed_hosts, start.last_ns, alone_ns);
        report_point(&driver->report, operations[death][1], "programs",
                "programs compiled by those that were not killed / programs", 1,
                killed_hosts, start.compiled + start.failed,
                (double)fleet.programs);
    }
    return true;
}

static bool run(struct driver *driver)
{
    struct fleet_server server;
    struct fleet_http http;
    report_fact(&driver->report, "compile", "simulated: a sleep");
    bool is_good = fleet_server_start(&server, redis, driver->folder);
    if (is_good)
        is_good = fleet_http_start(&http, nginx, driver->folder);
    else
        http = (struct fleet_http){.pid = 0};
    struct fleet_rows rows = {.server = &server,
            .http = &http,
            .folder = driver->folder,
            .repeat = driver->repeat};
    if (is_good) is_good = fleet_rows_begin(&rows);
    if (is_good) driver_measure(driver, measure, &rows);
    fleet_rows_end(&rows);
    fleet_http_end(&http);
    if (is_good && driver->rows == NULL)
        is_good = run_fleet(driver, &server) && run_killed(driver, &server);
    fleet_server_end(&server);
    return is_good;
}

int main(int argc, char **argv)
{
    struct driver driver = {
            .usage =
                    "usage: dnnl_cache_fleet_bench [options]\n"
                    "\n"
                    "Starts a redis-server and an nginx of its own in a folder "
                    "of TMPDIR.\n"
                    "Measures a hit and a prefetch there over hiredis and "
                    "libcurl, and with\n"
                    "encryption over without, then how soon many hosts that "
                    "start\n"
                    "at once have the same programs, how often these are "
                    "compiled, and what\n"
                    "that comes to when a host that compiles for others is "
                    "killed. A host is\n"
                    "a thread with a connection of its own and an empty local "
                    "store; the server\n"
                    "has a descriptor for each (ulimit -n). From 100 hosts on "
                    "as many make the\n"
                    "same GETs by hiredis, for comparison.\n"
                    "\n",
            .own_help =
                    "  --hosts N,...    numbers of hosts (1,3,10,30,100,300,"
                    "1000,3000)\n"
                    "  --killed-hosts N that wait for one that is killed "
                    "(100)\n"
                    "  --programs N     that each host wants (50)\n"
                    "  --compile-ms N   what compiling one takes (300)\n"
                    "  --redis PROGRAM  the server (redis-server)\n"
                    "  --nginx PROGRAM  the other (/usr/sbin/nginx)\n"
                    "  --repeat N       exactly N samples a row\n",
            .options = options,
            .take = take,
            .row = row_at,
            .most_repeat = 1000000,
            .run = run,
    };
    return driver_main(&driver, argc, argv);
}

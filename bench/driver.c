/* SPDX-License-Identifier: Apache-2.0 */
#include "driver.h"

#include "failure.h"
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit statuses. */
enum { ALL_MET = 0, TARGET_MISSED = 1, USAGE = 2, NOT_MEASURED = 3 };

static void complain(void)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, failure_text());
}

/* ---- The command line ---------------------------------------------------- */

static void print_help(const struct driver *driver)
{
    printf("%s%s"
           "  --rows ROW,...   only these rows\n"
           "  --json FILE      writes the results there too\n"
           "  --help           this text\n"
           "\n"
           "Exit status: 0 all targets met; 1 a target missed; 2 wrong usage;\n"
           "3 a row, or everything, could not be measured.\n"
           "\n"
           "Rows:\n",
            driver->usage, driver->own_help);
    const struct row *row;
    for (size_t i = 0; (row = driver->row(i)) != NULL; i++)
        printf("  %-24s %s\n", row->name, row->what);
}

bool driver_number(
        const char *text, size_t length, long least, long most, long *number)
{
    char *end;
    *number = strtol(text, &end, 10);
    if (length > 0 && end == text + length && *number >= least
            && *number <= most)
        return true;
    fprintf(stderr, "%s: %.*s is not a number from %ld to %ld\n",
            program_invocation_short_name, (int)length, text, least, most);
    return false;
}

static bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) == 0
                && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/* Every name of the list is that of a row. */
static bool take_rows(struct driver *driver, const char *list)
{
    size_t wanted = 1, found = 0;
    const struct row *row;
    for (const char *at = list; *at != '\0'; at++)
        wanted += *at == ',';
    for (size_t i = 0; (row = driver->row(i)) != NULL; i++)
        found += is_listed(list, row->name);
    if (found != wanted)
        fprintf(stderr, "%s: no such rows: %s\n", program_invocation_short_name,
                list);
    driver->rows = list;
    return found == wanted;
}

static bool take_repeat(struct driver *driver, const char *text)
{
    long number;
    if (!driver_number(text, strlen(text), 1, driver->most_repeat, &number))
        return false;
    driver->repeat = (size_t)number;
    return true;
}

static bool parse(struct driver *driver, int argc, char **argv, bool *help)
{
    int option;
    bool good = true;
    while (good
            && (option = getopt_long(argc, argv, "", driver->options, NULL))
                       != -1) {
        if (option == driver_json)
            driver->json = optarg;
        else if (option == driver_rows)
            good = take_rows(driver, optarg);
        else if (option == driver_repeat)
            good = take_repeat(driver, optarg);
        else if (option == driver_help)
            *help = true;
        else if (option == driver_platform)
            driver->platform = optarg;
        else
            good = option >= driver_own && driver->take(option, optarg);
    }
    return good && optind == argc
           && (driver->check == NULL || driver->check(driver));
}

/* ---- Measuring ----------------------------------------------------------- */

void driver_measure(struct driver *driver,
        bool (*measure)(void *user, size_t row, struct result *result),
        void *user)
{
    const struct row *row;
    for (size_t i = 0; (row = driver->row(i)) != NULL; i++) {
        if (driver->rows != NULL && !is_listed(driver->rows, row->name))
            continue;
        struct line line = line_of(row);
        if (!measure(user, i, &line.result)) {
            progress_end();
            line.result = (struct result){.measured = false};
            snprintf(line.result.reason, sizeof line.result.reason, "%s",
                    failure_text());
        }
        report_line(&driver->report, &line);
    }
}

static int status_of(const struct report *report)
{
    int status = report->count > 0 ? ALL_MET : NOT_MEASURED;
    for (size_t i = 0; i < report->count; i++) {
        if (!report->lines[i].result.measured) return NOT_MEASURED;
        if (!line_is_met(&report->lines[i])) status = TARGET_MISSED;
    }
    return status;
}

static int run(struct driver *driver)
{
    int status = NOT_MEASURED;
    if (!scratch_create(driver->folder, sizeof driver->folder)) {
        complain();
        return NOT_MEASURED;
    }
    report_fact(&driver->report, "library", dnnl_cache_version());
    report_fact(&driver->report, "git", dnnl_version()->hash);
    if (driver->run(driver)
            && (driver->json == NULL
                    || report_write_json(&driver->report, driver->json)))
        status = status_of(&driver->report);
    else
        complain();
    report_fini(&driver->report);
    scratch_remove(driver->folder);
    return status;
}

int driver_main(struct driver *driver, int argc, char **argv)
{
    bool help = false;
    if (!parse(driver, argc, argv, &help)) {
        fprintf(stderr, "try %s --help\n", program_invocation_short_name);
        return USAGE;
    }
    if (!help) return run(driver);
    print_help(driver);
    return ALL_MET;
}

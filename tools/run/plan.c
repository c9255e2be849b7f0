/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/plan.h"

#include "src/platform/library.h"
#include "tools/common/state/applications.h"
#include "tools/common/state/run_session.h"
#include "tools/common/text/command_line.h"
#include "tools/common/text/units.h"
#include "tools/run/conf_edit.h"
#include "tools/run/layer_file.h"

#include <dnnl_cache/store_types.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum option_code {
    option_dir = 256,
    option_store,
    option_max_size,
    option_seed,
    option_remote,
    option_stats,
    option_trace,
    option_record,
    option_tag,
    option_debug,
    option_allow,
    option_deny,
    option_off,
    option_layer,
    option_wait,
    option_no_wait,
    option_verbose,
    option_print,
    option_quiet,
    option_enable,
    option_disable,
    option_status,
    option_user,
    option_system,
    option_root,
    option_dry_run,
    option_json,
    option_no_timer
};

static const struct option options[] = {
        {"dir", required_argument, NULL, option_dir},
        {"store", required_argument, NULL, option_store},
        {"max-size", required_argument, NULL, option_max_size},
        {"seed", required_argument, NULL, option_seed},
        {"remote", required_argument, NULL, option_remote},
        {"stats", optional_argument, NULL, option_stats},
        {"trace", optional_argument, NULL, option_trace},
        {"record", required_argument, NULL, option_record},
        {"tag", required_argument, NULL, option_tag},
        {"debug", no_argument, NULL, option_debug},
        {"allow", required_argument, NULL, option_allow},
        {"deny", required_argument, NULL, option_deny},
        {"off", no_argument, NULL, option_off},
        {"layer", required_argument, NULL, option_layer},
        {"wait", no_argument, NULL, option_wait},
        {"no-wait", no_argument, NULL, option_no_wait},
        {"verbose", no_argument, NULL, option_verbose},
        {"print", no_argument, NULL, option_print},
        {"quiet", no_argument, NULL, option_quiet},
        {"enable", no_argument, NULL, option_enable},
        {"disable", no_argument, NULL, option_disable},
        {"status", no_argument, NULL, option_status},
        {"user", no_argument, NULL, option_user},
        {"system", no_argument, NULL, option_system},
        {"root", required_argument, NULL, option_root},
        {"dry-run", no_argument, NULL, option_dry_run},
        {"json", no_argument, NULL, option_json},
        {"no-timer", no_argument, NULL, option_no_timer},
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},
        {NULL, 0, NULL, 0},
};

void plan_print_help(FILE *out)
{
    fputs("usage: dnnl-cache-run [OPTION ...] [--] COMMAND [ARGUMENT ...]\n"
          "       dnnl-cache-run --enable|--disable [--user|--system] "
          "[OPTION ...]\n"
          "       dnnl-cache-run --status [--user|--system] [--json] "
          "[COMMAND]\n"
          "\n"
          "Run a command under the OpenCL layer " LAYER_FILE_NAME ",\n"
          "which compiles OpenCL programs once and loads them at later "
          "starts.\n"
          "\n"
          "Options:\n"
          "  --dir DIR          where compiled programs are stored\n"
          "                     (DNNL_CACHE_DIR)\n"
          "  --store TYPE       " DNNL_CACHE_STORE_TYPE_TEXT
          " (DNNL_CACHE_STORE);\n"
          "                     one that is there keeps its type\n"
          "  --max-size SIZE    size limit, such as 500M or 1.5GiB; 0: no "
          "limit\n"
          "                     (DNNL_CACHE_MAX_SIZE)\n"
          "  --seed PLACE       a store that is only read, asked first\n"
          "                     (DNNL_CACHE_SEED)\n"
          "  --remote URL       a store on a server, asked last, such as\n"
          "                     redis://HOST?key_file=FILE "
          "(DNNL_CACHE_REMOTE)\n"
          "  --stats[=FILE]     print hits and misses to standard error, or "
          "append\n"
          "                     them to a file as JSON (DNNL_CACHE_STATS)\n"
          "  --trace[=FILE]     print a line for each program: found or not "
          "and "
          "why,\n"
          "                     kernels, times; --trace=full[:FILE] adds all "
          "that its ID\n"
          "                     depends on (DNNL_CACHE_TRACE)\n"
          "  --record FILE      add what the command compiles and launches "
          "to FILE,\n"
          "                     for dnnl-cache replay (DNNL_CACHE_RECORD)\n"
          "  --tag TEXT         with --record: a word for what is added, such "
          "as a\n"
          "                     version (DNNL_CACHE_RECORD_TAG)\n"
          "  --debug            print every failure (DNNL_CACHE_PRINT_DEBUG)\n"
          "  --allow NAME       serve this application and no others "
          "but those of\n"
          "                     further --allow; a name, a path or a pattern\n"
          "                     (DNNL_CACHE_APPLICATIONS_ALLOW)\n"
          "  --deny NAME        do not serve this application\n"
          "                     (DNNL_CACHE_APPLICATIONS_DENY)\n"
          "  --off              run without the layer, even if OPENCL_LAYERS "
          "names it\n"
          "  --layer FILE       use this layer\n"
          "  --wait             stay after the command until what it left to "
          "be "
          "stored is\n"
          "                     stored (DNNL_CACHE_RUN_WAIT=1); else that is "
          "done beside\n"
          "                     the next command, or by dnnl-cache refresh\n"
          "                     (after an update of the driver also ahead of "
          "the "
          "command,\n"
          "                     but with DNNL_CACHE_AHEAD=0)\n"
          "  --no-wait          become the command, and store nothing beside "
          "it\n"
          "  --print            print the environment as shell commands, and "
          "exit\n"
          "  --quiet            do not warn if nothing can be stored, and show "
          "no progress\n"
          "  --verbose          keep what drivers print while they compile "
          "beside or after\n"
          "                     the command in a file, and say its name\n"
          "  --help             show this help (also -h)\n"
          "  --version          show the version (also -V)\n"
          "\n"
          "Without a command:\n"
          "  --enable           put the layer into the environment of new "
          "sessions; options\n"
          "                     above that set variables go to layer.conf\n"
          "  --disable          undo --enable; layer.conf stays\n"
          "  --status           show where the layer is enabled, and its "
          "settings\n"
          "  --user             for this user (the default)\n"
          "  --system           for all users; needs the rights of root\n"
          "  --root DIR         change the system or image in DIR\n"
          "  --no-timer         do not enable dnnl-cache-refresh.timer\n"
          "  --dry-run          show what would change, and change nothing\n"
          "  --json             with --status: print JSON\n"
          "\n"
          "Variables that no option sets are passed on; the man page and\n"
          "docs/reference/environment.md list all. Among them:\n"
          "  DNNL_CACHE_COMPILE_MODE     normal; cached_only: what is not "
          "stored fails to\n"
          "                              build; recompile: stored anew; "
          "verify: compared\n"
          "  DNNL_CACHE_MIN_COMPILE_MS   what compiles faster is not stored\n"
          "dnnl-cache(1) shows what is stored.\n"
          "\n"
          "Exit status: that of the command, or its signal; 125 if "
          "dnnl-cache-run fails,\n"
          "126 if the command cannot be run, 127 if it is not found. Without a "
          "command:\n"
          "0 done, or enabled; 1 not done, or not enabled; 125 wrong usage.\n",
            out);
}

static bool complain(FILE *err, const char *what, const char *argument)
{
    fprintf(err, "dnnl-cache-run: %s%s (see dnnl-cache-run --help)\n", what,
            argument);
    return false;
}

/* ---- Values -------------------------------------------------------------- */

bool plan_set(struct plan *plan, const char *name, char *value)
{
    size_t i = 0;
    if (value == NULL) return false;
    while (i < plan->count && strcmp(plan->variables[i].name, name) != 0)
        i++;
    if (i == plan->count) {
        plan->variables[plan->count++].name = name;
    } else {
        free(plan->variables[i].value);
    }
    plan->variables[i].value = value;
    return true;
}

static bool set(struct plan *plan, const char *name, char *value, FILE *err)
{
    return plan_set(plan, name, value) || complain(err, "cannot set ", name);
}

static bool set_path(
        struct plan *plan, const char *name, const char *path, FILE *err)
{
    if (path[0] == '\0') return complain(err, "empty value for ", name);
    /* The command may change its working directory. */
    return set(plan, name, path_from_root(path), err);
}

/* The layer knows whether it makes sense. */
static bool set_url(
        struct plan *plan, const char *name, const char *url, FILE *err)
{
    if (url[0] == '\0') return complain(err, "empty value for ", name);
    return set(plan, name, strdup(url), err);
}

static bool set_store(struct plan *plan, const char *type, FILE *err)
{
    static const char *const types[] = {DNNL_CACHE_STORE_TYPE_NAMES};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return set(plan, "DNNL_CACHE_STORE", strdup(type), err);
    return complain(
            err, "--store must be " DNNL_CACHE_STORE_TYPE_TEXT ", not ", type);
}

static bool set_max_size(struct plan *plan, const char *text, FILE *err)
{
    uint64_t bytes;
    char *value;
    if (!units_parse_size(&bytes, text))
        return complain(err,
                "--max-size must be a size such as 500M or 1.5GiB, not ", text);
    /* In bytes, also for a tree. */
    if (asprintf(&value, "%" PRIu64 "%s", bytes, bytes > 0 ? "B" : "") < 0)
        value = NULL;
    return set(plan, "DNNL_CACHE_MAX_SIZE", value, err);
}

/* A report: on standard error, or to a file. */
static bool set_report(
        struct plan *plan, const char *name, const char *file, FILE *err)
{
    static const char full[] = "full";
    const size_t size = sizeof full - 1;
    if (file != NULL && strcmp(name, "DNNL_CACHE_TRACE") == 0
            && (strcmp(file, full) == 0
                    || (strncmp(file, full, size) == 0 && file[size] == ':'
                            && file[size + 1] == '/')))
        return set(plan, name, strdup(file), err);
    if (file != NULL) return set_path(plan, name, file, err);
    return set(plan, name, strdup("1"), err);
}

/* ---- Applications -------------------------------------------------------- */

/* Of a list, which has a ":" between entries. */
static bool add_entry(
        struct plan *plan, const char *name, const char *value, FILE *err)
{
    const char *why;
    if (value[0] == '\0' || strchr(value, ':') != NULL)
        return complain(err,
                "an application is a name, a path or a pattern without a "
                "\":\", not ",
                value);
    if (!conf_edit_check(value, &why))
        return complain(err, "an application's name must not have ", why);
    if (strchr(value, '/') != NULL && value[0] != '/' && value[0] != '*')
        return complain(err, "an application's path must be absolute: ", value);
    struct permanent_setting *grown =
            reallocarray(plan->entries, plan->entry_count + 1, sizeof *grown);
    if (grown == NULL) return complain(err, "cannot set ", name);
    plan->entries = grown;
    grown[plan->entry_count++] = (struct permanent_setting){name, value, true};
    return true;
}

static const char *value_in(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strcmp(plan->variables[i].name, name) == 0)
            return plan->variables[i].value;
    return NULL;
}

bool plan_sets(const struct plan *plan, const char *name)
{
    return value_in(plan, name) != NULL;
}

/* A command gets them in its environment. */
static bool set_lists(struct plan *plan, FILE *err)
{
    bool good = true;
    for (size_t i = 0; good && i < plan->entry_count; i++) {
        const struct permanent_setting *entry = &plan->entries[i];
        good = set(plan, entry->name,
                conf_edit_list_with(value_in(plan, entry->name), entry->value),
                err);
    }
    return good;
}

/* ---- The command line ---------------------------------------------------- */

static bool set_action(
        struct plan *plan, enum permanent_action action, FILE *err)
{
    if (plan->permanent.action != permanent_none
            && plan->permanent.action != action)
        return complain(
                err, "only one of --enable, --disable and --status", "");
    plan->permanent.action = action;
    return true;
}

static bool take_option(
        struct plan *plan, int code, const char *value, FILE *err)
{
    switch (code) {
    case option_dir:
        return set_path(plan, "DNNL_CACHE_DIR", value, err);
    case option_store:
        return set_store(plan, value, err);
    case option_max_size:
        return set_max_size(plan, value, err);
    case option_seed:
        return set_path(plan, "DNNL_CACHE_SEED", value, err);
    case option_remote:
        return set_url(plan, "DNNL_CACHE_REMOTE", value, err);
    case option_stats:
        return set_report(plan, "DNNL_CACHE_STATS", value, err);
    case option_trace:
        return set_report(plan, "DNNL_CACHE_TRACE", value, err);
    case option_record:
        return set_path(plan, "DNNL_CACHE_RECORD", value, err);
    case option_tag:
        return set(plan, "DNNL_CACHE_RECORD_TAG", strdup(value), err);
    case option_debug:
        return set(plan, "DNNL_CACHE_PRINT_DEBUG", strdup("1"), err);
    case option_allow:
        return add_entry(plan, APPLICATIONS_ALLOW, value, err);
    case option_deny:
        return add_entry(plan, APPLICATIONS_DENY, value, err);
    case option_off:
        return plan->off = true;
    case option_layer:
        plan->layer = value;
        return true;
    case option_wait:
        return plan->wait = true;
    case option_no_wait:
        return plan->no_wait = true;
    case option_verbose:
        return plan->verbose = true;
    case option_print:
        return plan->print = true;
    case option_quiet:
        return plan->quiet = true;
    case option_enable:
        return set_action(plan, permanent_enable, err);
    case option_disable:
        return set_action(plan, permanent_disable, err);
    case option_status:
        return set_action(plan, permanent_status, err);
    case option_user:
        return plan->permanent.user = true;
    case option_system:
        return plan->permanent.system = true;
    case option_root:
        plan->permanent.root = value;
        return true;
    case option_dry_run:
        return plan->permanent.dry_run = true;
    case option_json:
        return plan->permanent.json = true;
    case option_no_timer:
        return plan->permanent.no_timer = true;
    case 'h':
        return plan->help = true;
    default:
        return plan->version = true;
    }
}

/* What does not go together. */
static bool check_permanent(struct plan *plan, FILE *err)
{
    struct permanent_request *p = &plan->permanent;
    const bool enables = p->action == permanent_enable;
    if (p->action == permanent_none)
        return (!p->user && !p->system && p->root == NULL && !p->dry_run
                       && !p->json && !p->no_timer)
               || complain(err,
                       "--user, --system, --root, --dry-run, --json and "
                       "--no-timer go with --enable, --disable or --status",
                       "");
    if (plan->command[0] != NULL && p->action != permanent_status)
        return complain(err, "no command goes with --enable or --disable: ",
                plan->command[0]);
    if (p->user && p->system && p->action != permanent_status)
        return complain(err, "only one of --user and --system", "");
    if (plan->off || plan->wait || plan->no_wait || plan->verbose)
        return complain(err,
                "--off, --wait, --no-wait and --verbose go with a command", "");
    if (p->json && p->action != permanent_status)
        return complain(err, "--json goes with --status", "");
    if (p->no_timer && !enables)
        return complain(err, "--no-timer goes with --enable", "");
    if (!enables && (plan->count > 0 || plan->entry_count > 0))
        return complain(err, "settings go with --enable or a command", "");
    if (plan->print && p->action == permanent_status)
        return complain(err, "--print does not go with --status", "");
    p->dry_run = p->dry_run || plan->print;
    p->command = plan->command[0];
    p->layer = plan->layer;
    p->quiet = plan->quiet;
    return true;
}

static bool is_wait_set(void)
{
    const char *value = getenv(RUN_WAIT_VARIABLE);
    return value != NULL && strcmp(value, "1") == 0;
}

bool plan_parse(struct plan *plan, int argc, char **argv, FILE *err)
{
    /* "+": what follows the command's name is the command's. */
    const struct command_line line = {
            "dnnl-cache-run", err, argc, argv, "+hV", options};
    int code;
    *plan = (struct plan){.help = false};
    for (bool first = true; (code = command_line_next(&line, first)) != -1;
            first = false)
        if (code == '?' || !take_option(plan, code, optarg, err)) return false;
    plan->command = argv + optind;
    if (plan->help || plan->version) return true;
    if (!check_permanent(plan, err)) return false;
    if (plan->permanent.action != permanent_none) return true;
    if (!set_lists(plan, err)) return false;
    if (plan->wait && plan->no_wait)
        return complain(err, "only one of --wait and --no-wait", "");
    plan->wait = plan->wait || (!plan->no_wait && is_wait_set());
    if (plan->command[0] == NULL && !plan->print)
        return complain(err, "no command given", "");
    return true;
}

void plan_fini(struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        free(plan->variables[i].value);
    plan->count = 0;
    free(plan->entries);
    plan->entries = NULL;
    plan->entry_count = 0;
}

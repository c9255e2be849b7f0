/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_print_help(void)
{
    fputs("usage: persistent_cache --store DIR [options]\n"
          "\n"
          "Creates an engine, five layers of AlexNet and two OpenCL programs,\n"
          "runs them and keeps what was compiled in DIR. The next run loads "
          "it\n"
          "from there.\n"
          "\n"
          "  --store DIR         directory of the store; created if missing\n"
          "  --capacity MB       size limit in megabytes, or \"unlimited\", "
          "or\n"
          "                      \"off\" (default 1024)\n"
          "  --platform TEXT     use a platform with TEXT in its name\n"
          "  --build-option OPT  one more build option for the two programs\n"
          "  --check             compare the results with those of plain C\n"
          "  --json FILE         write the measured times\n"
          "  --output FILE       write the results as raw floats\n"
          "  --help              show this help\n"
          "\n"
          "Exit status: 0 success; 1 the library or the driver failed; 2 "
          "usage\n"
          "error; 3 wrong results; 4 FILE could not be written. If the store\n"
          "cannot be used, a warning is printed and everything is compiled.\n",
            stdout);
}

static bool parse_capacity(
        struct dnnl_cache_store_limit *limit, const char *text)
{
    char *end;
    if (strcmp(text, "unlimited") == 0) {
        *limit = dnnl_cache_store_limit_unlimited();
        return true;
    }
    if (strcmp(text, "off") == 0) {
        *limit = dnnl_cache_store_limit_off();
        return true;
    }
    if (text[0] < '1' || text[0] > '9') return false;
    errno = 0;
    const unsigned long long mb = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0') return false;
    *limit = dnnl_cache_store_limit_mb(mb);
    return true;
}

/* Where the value of an option goes; NULL if there is no such option. */
static const char **find_target(struct options *options, const char *name)
{
    const struct {
        const char *name;
        const char **target;
    } all[] = {
            {"--store", &options->store},
            {"--platform", &options->platform},
            {"--json", &options->json},
            {"--build-option", &options->build_option},
            {"--output", &options->output},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0) return all[i].target;
    return NULL;
}

static bool complain(const char *what, const char *argument)
{
    fprintf(stderr, "persistent_cache: %s%s (--help tells more)\n", what,
            argument);
    return false;
}

/* Takes argv[*i], and its value if it has one. */
static bool parse_one(struct options *options, int *i, int argc, char **argv)
{
    const char *name = argv[*i];
    if (strcmp(name, "--help") == 0) {
        options->help = true;
        return true;
    }
    if (strcmp(name, "--check") == 0) {
        options->check = true;
        return true;
    }
    const char **target = find_target(options, name);
    const bool is_capacity = strcmp(name, "--capacity") == 0;
    if (target == NULL && !is_capacity)
        return complain("no such option: ", name);
    if (++*i == argc) return complain("no value for ", name);
    if (target != NULL)
        *target = argv[*i];
    else if (!parse_capacity(&options->capacity, argv[*i]))
        return complain("no capacity: ", argv[*i]);
    return true;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    *options = (struct options){
            .store = "",
            .capacity = dnnl_cache_store_limit_mb(1024),
            .platform = "",
            .json = "",
            .build_option = "",
            .output = "",
    };
    for (int i = 1; i < argc; i++)
        if (!parse_one(options, &i, argc, argv)) return false;
    if (options->store[0] == '\0' && !options->help)
        return complain("--store is missing", "");
    return true;
}

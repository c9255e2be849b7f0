/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
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
          "  --store DIR         directory of the store, a file for a pack; "
          "created if\n"
          "                      missing\n"
          "  --type TYPE         type of a new "
          "store: " DNNL_CACHE_STORE_TYPE_TEXT "\n"
          "                      (default bucket); one that is there keeps "
          "its type\n"
          "  --capacity MB       size limit in megabytes, or \"unlimited\", "
          "or\n"
          "                      \"off\" (default 1024)\n"
          "  --policy POLICY     what is evicted first: fifo, lru or cost\n"
          "                      (default: that of the type of store)\n"
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

static bool complain(const char *what, const char *argument)
{
    fprintf(stderr, "persistent_cache: %s%s (--help tells more)\n", what,
            argument);
    return false;
}

static bool parse_capacity(struct options *options, const char *text)
{
    char *end;
    options->off = false;
    if (strcmp(text, "unlimited") == 0) {
        options->capacity = DNNL_CACHE_STORE_UNLIMITED;
        return true;
    }
    if (strcmp(text, "off") == 0) {
        options->off = true;
        return true;
    }
    if (text[0] < '1' || text[0] > '9') return false;
    errno = 0;
    const unsigned long long mb = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0') return false;
    options->capacity = dnnl_cache_store_megabytes(mb);
    return true;
}

static bool parse_type(
        const struct dnnl_cache_store_type **type, const char *text)
{
    const struct dnnl_cache_store_type *found =
            dnnl_cache_store_find_type(text);
    if (found != NULL) *type = found;
    return found != NULL;
}

static bool parse_policy(enum dnnl_cache_store_policy *policy, const char *text)
{
    static const char *const names[] = {[dnnl_cache_store_policy_fifo] = "fifo",
            [dnnl_cache_store_policy_lru] = "lru",
            [dnnl_cache_store_policy_cost] = "cost"};
    for (int i = dnnl_cache_store_policy_fifo;
            i <= dnnl_cache_store_policy_cost; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *policy = (enum dnnl_cache_store_policy)i;
        return true;
    }
    return false;
}

bool options_parse(struct options *options, int argc, char **argv)
{
    enum {
        STORE = 1,
        TYPE,
        CAPACITY,
        POLICY,
        PLATFORM,
        JSON,
        BUILD_OPTION,
        OUTPUT,
        CHECK,
        HELP
    };
    static const struct option known[] = {
            {"store", required_argument, NULL, STORE},
            {"type", required_argument, NULL, TYPE},
            {"capacity", required_argument, NULL, CAPACITY},
            {"policy", required_argument, NULL, POLICY},
            {"platform", required_argument, NULL, PLATFORM},
            {"json", required_argument, NULL, JSON},
            {"build-option", required_argument, NULL, BUILD_OPTION},
            {"output", required_argument, NULL, OUTPUT},
            {"check", no_argument, NULL, CHECK},
            {"help", no_argument, NULL, HELP},
            {NULL, 0, NULL, 0},
    };
    int option;
    *options = (struct options){
            .store = "",
            .type = dnnl_cache_store_find_type("bucket"),
            .capacity = dnnl_cache_store_megabytes(1024),
            .platform = "",
            .json = "",
            .build_option = "",
            .output = "",
    };
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        const char **const texts[] = {[STORE] = &options->store,
                [PLATFORM] = &options->platform,
                [JSON] = &options->json,
                [BUILD_OPTION] = &options->build_option,
                [OUTPUT] = &options->output};
        if (option == '?') return complain("wrong usage", "");
        if (option == TYPE && !parse_type(&options->type, optarg))
            return complain("no type of store: ", optarg);
        if (option == CAPACITY && !parse_capacity(options, optarg))
            return complain("no capacity: ", optarg);
        if (option == POLICY && !parse_policy(&options->policy, optarg))
            return complain("no policy: ", optarg);
        if (option == CHECK) options->check = true;
        if (option == HELP) options->help = true;
        if (option <= OUTPUT && texts[option] != NULL) *texts[option] = optarg;
    }
    if (optind < argc) return complain("one argument too many: ", argv[optind]);
    return options->help || options->store[0] != '\0'
           || complain("--store is missing", "");
}

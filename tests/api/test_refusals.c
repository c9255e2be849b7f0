/* SPDX-License-Identifier: Apache-2.0 */
/* The table of docs/ONEDNN.md, row by row: is each refused as it says? */
#include "log_capture.h"
#include "refusals.h"
#include "rig.h"
#include "small_primitives.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the table says that it answers. */
static dnnl_status_t status_of(const struct refusal *r)
{
    return strstr(r->what, "`dnnl_invalid_arguments`") != NULL
                   ? dnnl_invalid_arguments
                   : dnnl_unimplemented;
}

TEST_C(Refusals, AreWhatTheTableSays)
{
    struct rig rig;
    struct refusal_engines engines;
    struct log_capture log;
    setenv("ONEDNN_VERBOSE", "error,check,dispatch", 1); /* read once */
    rig_open(&rig, 0);
    engines.gpu = rig.engine;
    ASSERT_OK(dnnl_engine_create(&engines.cpu, dnnl_cpu, 0));
    /* The first one compiles a probe. */
    dnnl_primitive_desc_destroy(relu_desc(rig.engine, 16, 0.0f));
    for (int i = 0; i < refusal_count; i++) {
        const struct refusal *r = &refusals[i];
        log_capture_start(&log);
        dnnl_status_t st = r->ask(&engines);
        log_capture_stop(&log);
        char end[200];
        snprintf(end, sizeof end, ",%s\n", r->reason != NULL ? r->reason : "");
        if (st != status_of(r))
            test_fail(__FILE__, __LINE__, "%s: %s: %s", r->where, r->what,
                    dnnl_status2str(st));
        if (r->reason != NULL
                && !log_capture_has(&log, dnnl_cache_log_info, end))
            test_fail(__FILE__, __LINE__, "%s: %s: told with\n%s", r->where,
                    r->what, log.text);
    }
    EXPECT_OK(dnnl_engine_destroy(engines.cpu));
    rig_close(&rig);
}

/* ---- The README ---------------------------------------------------------- */

/* An item of a row of the table. */
struct item {
    char where[100];
    char what[200];
};

enum { MAX_ITEMS = 100 };

static void set_text(char *out, size_t size, const char *text)
{
    if (strlen(text) >= size) abort();
    strcpy(out, text);
}

/* Reads the rows of the table of what is not implemented; returns the number
 * of items. */
static int read_items(struct item items[MAX_ITEMS])
{
    static const char head[] = "What oneDNN has and this release rejects with";
    char line[2000];
    int count = 0;
    bool is_there = false;
    bool is_row = false;
    FILE *file = fopen(DNNL_CACHE_TEST_REFUSALS, "r");
    if (file == NULL) return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        is_there = is_there || strncmp(line, head, sizeof head - 1) == 0;
        if (is_there && line[0] != '|' && is_row) break;
        if (!is_there || line[0] != '|') continue;
        is_row = true;
        char *where = line + 2;
        char *what = strstr(where, " | ");
        char *end = what != NULL ? strstr(what + 3, " |\n") : NULL;
        if (end == NULL || line[2] == '-' || strncmp(where, "where", 5) == 0)
            continue;
        *what = *end = '\0';
        for (char *item = strtok(what + 3, ";"); item != NULL;
                item = strtok(NULL, ";")) {
            while (*item == ' ')
                item++;
            if (count == MAX_ITEMS) abort();
            set_text(items[count].where, sizeof items->where, where);
            set_text(items[count].what, sizeof items->what, item);
            count++;
        }
    }
    fclose(file);
    return count;
}

static bool is_same(const struct item *item, const struct refusal *r)
{
    return strcmp(item->where, r->where) == 0
           && strcmp(item->what, r->what) == 0;
}

TEST_C(Refusals, AreAllInTheTable)
{
    static struct item items[MAX_ITEMS];
    int count = read_items(items);
    EXPECT_GT(count, 0);
    for (int i = 0; i < count; i++) {
        int r = 0;
        while (r < refusal_count && !is_same(&items[i], &refusals[r]))
            r++;
        if (r == refusal_count)
            test_fail(__FILE__, __LINE__, "docs/ONEDNN.md: %s: %s: not tested",
                    items[i].where, items[i].what);
    }
    for (int r = 0; r < refusal_count; r++) {
        int i = 0;
        while (i < count && !is_same(&items[i], &refusals[r]))
            i++;
        if (i == count)
            test_fail(__FILE__, __LINE__, "not in docs/ONEDNN.md: %s: %s",
                    refusals[r].where, refusals[r].what);
    }
}

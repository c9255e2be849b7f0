/* SPDX-License-Identifier: Apache-2.0 */
/* The table of docs/reference/onednn.md, row by row: is each refused as it
 * says, and told with the words that it has? */
#include "log_capture.h"
#include "refusals.h"
#include "rig.h"
#include "small_primitives.h"
#include "src/gpu/engine/lacks.h"
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
        const struct refusal r = refusal_at(i);
        log_capture_start(&log);
        dnnl_status_t st = r.ask(&engines);
        log_capture_stop(&log);
        char end[200];
        snprintf(end, sizeof end, ",%s\n", r.reason);
        if (st != status_of(&r))
            test_fail(__FILE__, __LINE__, "%s: %s: %s", r.where, r.what,
                    dnnl_status2str(st));
        if (!log_capture_has(&log, dnnl_cache_log_info, end))
            test_fail(__FILE__, __LINE__, "%s: %s: told with\n%s", r.where,
                    r.what, log.text);
    }
    EXPECT_OK(dnnl_engine_destroy(engines.cpu));
    rig_close(&rig);
}

/* The table is made of the cases: each lack has one. */
TEST_C(Refusals, AreAllInTheTable)
{
#define LACK_WORDS(name, words) words,
    static const char *const reasons[] = {LACKS(LACK_WORDS)};
    for (size_t l = 0; l < sizeof reasons / sizeof *reasons; l++) {
        int i = 0;
        while (i < refusal_count
                && strcmp(refusal_at(i).reason, reasons[l]) != 0)
            i++;
        EXPECT_TRUE(i < refusal_count);
        if (i == refusal_count)
            test_fail(__FILE__, __LINE__, "no case of \"%s\"", reasons[l]);
    }
}

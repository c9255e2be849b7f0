/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the files that `dnnl-cache prove` and refresh keep beside a
 * store: what was proved, the time that was spent, what failed, once as they
 * are and once with the lines' check-sums made right. What is read is sorted
 * and within its limits; what is added is found by the next one; the time that
 * is left is never more than a day has, and less by what was spent.
 */
#include "pieces.h"
#include "repair_lines.h"
#include "scratch.h"
#include "tools/common/state/state_lines.h"
#include "tools/dnnl_cache/prove/prove_budget.h"
#include "tools/dnnl_cache/prove/prove_memory.h"
#include "tools/dnnl_cache/refresh/replay_failed.h"

static char store[scratch_path_size];

/* The clock of what is read, and of who writes: always the same. */
/* NOLINTBEGIN(bugprone-reserved-identifier): what the linker calls it */
uint64_t __wrap_clock_epoch_ns(void);

uint64_t __wrap_clock_epoch_ns(void)
{
    return UINT64_C(1800000000) * 1000000000u;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static const uint64_t percent_ns = UINT64_C(864) * 1000000000u;

/* ---- What was proved ----------------------------------------------------- */

static void check_memory(struct tool *tool)
{
    static const char name[] = "0123456789abcdef0123456789abcdef";
    const struct driver_build build = {1, 2};
    struct prove_memory memory;
    prove_memory_open(&memory, tool);
    const struct prove_totals before = memory.totals;
    const enum prove_result result =
            prove_memory_find(&memory, name, &build, 0);
    REQUIRE(result >= prove_result_none && result <= prove_result_differed);
    prove_memory_add(&memory, tool, name, &build, prove_result_proved);
    REQUIRE(memory.totals.proved == before.proved + 1);
    prove_memory_close(&memory);
    prove_memory_open(&memory, tool);
    REQUIRE(memory.totals.proved == before.proved + 1
            && memory.totals.differed == before.differed);
    /* Of two results of one time any may count. */
    REQUIRE(prove_memory_find(&memory, name, &build, 0) != prove_result_none);
    prove_memory_close(&memory);
}

/* ---- The time ------------------------------------------------------------ */

static void check_budget(struct tool *tool)
{
    enum { some_ns = 1000 };
    const uint64_t left = prove_budget_left_ns(tool);
    REQUIRE(left <= percent_ns);
    prove_budget_spend(some_ns);
    const uint64_t then = prove_budget_left_ns(tool);
    REQUIRE(left <= some_ns ? then == 0 : then == left - some_ns);
}

/* ---- What failed --------------------------------------------------------- */

static void check_failed(struct tool *tool, const struct piece *id)
{
    struct replay_failed failed;
    replay_failed_open(&failed, tool);
    (void)replay_failed_has(&failed, id->size, id->data);
    REQUIRE(replay_failed_add(&failed, id->size, id->data, "why\n", "a\x1b"));
    replay_failed_close(&failed);
    replay_failed_open(&failed, tool);
    REQUIRE(replay_failed_has(&failed, id->size, id->data));
    replay_failed_close(&failed);
}

/* ---- Files --------------------------------------------------------------- */

static void use(
        struct tool *tool, const struct piece *bytes, const struct piece *id)
{
    scratch_write("store/layer/proofs", bytes->data, bytes->size);
    scratch_write("store/layer/replay_failed", bytes->data, bytes->size);
    scratch_write("state/dnnl_cache/prove_time", bytes->data, bytes->size);
    check_memory(tool);
    check_budget(tool);
    check_failed(tool, id);
}

static void begin(void)
{
    char path[scratch_path_size];
    if (store[0] != '\0') return;
    scratch_path(path, "state");
    REQUIRE(setenv("XDG_STATE_HOME", path, 1) == 0);
    REQUIRE(setenv("HOME", path, 1) == 0);
    REQUIRE(unsetenv("XDG_CONFIG_HOME") == 0);
    REQUIRE(unsetenv("DNNL_CACHE_PROVE_PERCENT") == 0);
    scratch_path(store, "store");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct options options = {.store = store, .quiet = true};
    struct tool tool = {
            .options = &options, .out = stdout, .err = stderr, .type = "flat"};
    struct pieces pieces = {data, size};
    begin();
    struct piece id = pieces_next(&pieces);
    struct piece list = pieces_rest(&pieces);
    use(&tool, &list, &id);
    struct piece repaired = repair_lines(&list);
    use(&tool, &repaired, &id);
    free(repaired.data);
    free(list.data);
    free(id.data);
    return 0;
}

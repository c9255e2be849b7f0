/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/verify.h"

#include "layer/capture/collect.h"
#include "layer/compile/compiled_again.h"
#include "layer/compile/verify_code.h"
#include "layer/driver/quirks.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"
#include "tools/common/id/facts_difference.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_uint_fast64_t compared, differed, skipped;

/* ---- Machine code -------------------------------------------------------- */

/* More reasons than there are. */
enum { most_reasons = 24 };

static atomic_uint_fast64_t same_code;

/* Why the machine code of programs was not compared; both are set once, the
 * text first. */
static struct {
    _Atomic(const char *) why; /* static */
    atomic_uint_fast64_t programs;
} open_code[most_reasons];

static void count_open_code(const char *why)
{
    for (size_t i = 0; i < most_reasons; i++) {
        const char *before = NULL;
        if (atomic_compare_exchange_strong(&open_code[i].why, &before, why)
                || before == why) {
            atomic_fetch_add(&open_code[i].programs, 1);
            return;
        }
    }
}

static void report_code(void)
{
    print_warning("verify: machine code compared and the same: %" PRIuFAST64
                  " programs",
            atomic_load(&same_code));
    for (size_t i = 0; i < most_reasons; i++) {
        const char *why = atomic_load(&open_code[i].why);
        if (why == NULL) return;
        print_warning("verify: machine code not compared, or not all of it: "
                      "%" PRIuFAST64 " programs (%s)",
                atomic_load(&open_code[i].programs), why);
    }
}

/* ---- One program --------------------------------------------------------- */

enum { text_size = 512 };

struct comparison {
    bool is_known; /* what the driver says of both */
    bool differs;
    char why[text_size];   /* if they differ */
    const char *open_code; /* static; NULL: the machine code was compared */
};

static void compare_facts(struct comparison *c, const struct built_device *kept,
        struct build *made, size_t device)
{
    struct bytes bytes = {.data = NULL};
    struct facts_difference difference;
    struct facts facts;
    c->is_known = collect_facts(made->substitute, made, device, &bytes)
                  && facts_decode(&facts, bytes.data, bytes.size);
    if (c->is_known) {
        c->differs = facts_find_difference(&difference, &kept->facts, &facts,
                quirk_tells_arguments_without_options(kept->device));
        if (c->differs) facts_difference_print(c->why, &difference);
        facts_free_lists(&facts);
    }
    free(bytes.data);
}

static void describe(struct comparison *c, const struct proof *proof)
{
    (void)snprintf(c->why, sizeof c->why, "%s%s%s; its ID may lack %s",
            proof->what, proof->where[0] != '\0' ? " of " : "", proof->where,
            proof_suspect_text(proof->suspect));
    /* A name of a store's may be anything. */
    for (char *at = c->why; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f) *at = '?';
}

static void compare_code(struct comparison *c, struct layer_program *program,
        const struct build *loaded, struct build *made, size_t device)
{
    struct proof proof;
    verify_code(&proof, program, loaded, made, device);
    c->differs = proof.verdict == proof_differs;
    if (c->differs) describe(c, &proof);
    if (proof.verdict == proof_open) c->open_code = proof.what;
}

/* The one place that says whether what was loaded is what is compiled now. */
static void compare(struct comparison *c, struct layer_program *program,
        const struct build *loaded)
{
    struct build *made = compiled_build_again(program, loaded);
    *c = (struct comparison){.is_known = made != NULL};
    for (size_t i = 0; c->is_known && !c->differs && i < loaded->count; i++) {
        compare_facts(c, &loaded->devices[i], made, i);
        if (c->is_known && !c->differs)
            compare_code(c, program, loaded, made, i);
    }
    build_release(made);
}

static void remove_different(struct build_call *call, const char *why)
{
    struct build *build = call->build;
    atomic_fetch_add(&differed, 1);
    print_warning("verify: an entry is not what is compiled now (%s). It is "
                  "removed and compiled again; DNNL_CACHE_TRACE=1 tells its ID",
            why);
    build_drop_substitute(build);
    for (size_t i = 0; i < build->count; i++) {
        struct built_device *d = &build->devices[i];
        storage_remove(d->id_size, d->id);
        d->is_kept = false;
        d->is_of_form = false;
        d->is_form_alone = false;
    }
    call->reason = layer_reason_differs;
    call->missed = &build->devices[0];
}

bool verify_loaded(struct build_call *call)
{
    struct comparison c;
    if (layer_settings()->mode != settings_mode_verify) return true;
    compare(&c, call->program, call->build);
    if (!c.is_known) {
        verify_skip();
        return true;
    }
    atomic_fetch_add(&compared, 1);
    if (c.differs) {
        remove_different(call, c.why);
        return false;
    }
    if (c.open_code != NULL)
        count_open_code(c.open_code);
    else
        atomic_fetch_add(&same_code, 1);
    return true;
}

/* ---- The process --------------------------------------------------------- */

void verify_count_failure(const char *why)
{
    atomic_fetch_add(&compared, 1);
    if (why == NULL) return;
    atomic_fetch_add(&differed, 1);
    print_warning(
            "verify: a failed build was kept, but %s. It is forgotten", why);
}

void verify_skip(void)
{
    if (layer_settings()->mode == settings_mode_verify)
        atomic_fetch_add(&skipped, 1);
}

void verify_report(void)
{
    if (layer_settings()->mode != settings_mode_verify) return;
    print_warning("verify: %" PRIuFAST64 " programs compared, %" PRIuFAST64
                  " differ, %" PRIuFAST64 " not compared",
            atomic_load(&compared), atomic_load(&differed),
            atomic_load(&skipped));
    report_code();
}

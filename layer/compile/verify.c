/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/verify.h"

#include "layer/capture/collect.h"
#include "layer/compile/compiled_again.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"
#include "tools/common/id/facts_difference.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_uint_fast64_t compared, differed, skipped;

/* False: it could not be found out. */
static bool compare_device(bool *differs, char why[facts_difference_text_size],
        const struct built_device *kept, struct build *made, size_t device)
{
    struct bytes bytes = {.data = NULL};
    struct facts_difference difference;
    struct facts facts;
    bool is_known = collect_facts(made->substitute, made, device, &bytes)
                    && facts_decode(&facts, bytes.data, bytes.size);
    if (is_known) {
        *differs = facts_find_difference(&difference, &kept->facts, &facts);
        if (*differs) facts_difference_print(why, &difference);
        facts_free_lists(&facts);
    }
    free(bytes.data);
    return is_known;
}

/* The one place that says whether what was loaded is what is compiled now. */
static bool compare(bool *differs, char why[facts_difference_text_size],
        struct layer_program *program, const struct build *loaded)
{
    struct build *made = compiled_build_again(program, loaded);
    bool is_known = made != NULL;
    *differs = false;
    for (size_t i = 0; is_known && !*differs && i < loaded->count; i++)
        is_known = compare_device(differs, why, &loaded->devices[i], made, i);
    build_release(made);
    return is_known;
}

bool verify_loaded(struct build_call *call)
{
    char why[facts_difference_text_size] = "";
    struct build *build = call->build;
    bool differs = false;
    if (layer_settings()->mode != settings_mode_verify) return true;
    if (!compare(&differs, why, call->program, build)) {
        verify_skip();
        return true;
    }
    atomic_fetch_add(&compared, 1);
    if (!differs) return true;
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
    return false;
}

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
    if (layer_settings()->mode == settings_mode_verify)
        print_warning("verify: %" PRIuFAST64 " programs compared, %" PRIuFAST64
                      " differ, %" PRIuFAST64 " not compared",
                atomic_load(&compared), atomic_load(&differed),
                atomic_load(&skipped));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/verify.h"

#include "layer/capture/collect.h"
#include "layer/compile/compiled_again.h"
#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Records ------------------------------------------------------------- */

static bool args_differ(const struct arg_facts *a, const struct arg_facts *b)
{
    return memcmp(a->status, b->status, sizeof a->status) != 0
           || (a->status[0] == CL_SUCCESS && a->address != b->address)
           || (a->status[1] == CL_SUCCESS && a->access != b->access)
           || (a->status[3] == CL_SUCCESS && a->type != b->type)
           || strcmp(a->type_name, b->type_name) != 0
           || strcmp(a->name, b->name) != 0;
}

static bool kernels_differ(char why[verify_why_size],
        const struct kernel_facts *kept, const struct kernel_facts *made)
{
    if (kept->arg_count != made->arg_count) {
        (void)snprintf(why, verify_why_size,
                "kernel %.128s has %" PRIu32
                " arguments, compiled now %" PRIu32,
                kept->name, kept->arg_count, made->arg_count);
        return true;
    }
    for (uint32_t i = 0; i < kept->arg_count; i++)
        if (args_differ(&kept->args[i], &made->args[i])) {
            (void)snprintf(why, verify_why_size,
                    "argument %" PRIu32 " of kernel %.128s is another one", i,
                    kept->name);
            return true;
        }
    if (strcmp(kept->attributes, made->attributes) != 0
            || (kept->local_bytes != made->local_bytes
                    && kept->local_bytes != facts_no_bytes
                    && made->local_bytes != facts_no_bytes)) {
        (void)snprintf(why, verify_why_size,
                "kernel %.128s has other attributes or local memory",
                kept->name);
        return true;
    }
    return false;
}

/* Not the log and the options, which name folders, nor times. */
bool verify_find_difference(char why[verify_why_size], const struct facts *kept,
        const struct facts *made)
{
    if (kept->kernel_count != made->kernel_count
            || kept->binary_type != made->binary_type) {
        (void)snprintf(why, verify_why_size,
                "it has %" PRIu32 " kernels, compiled now %" PRIu32,
                kept->kernel_count, made->kernel_count);
        return true;
    }
    for (uint32_t i = 0; i < kept->kernel_count; i++) {
        const struct kernel_facts *kernel = &kept->kernels[i];
        const struct kernel_facts *other = facts_kernel(made, kernel->name);
        if (other == NULL) {
            (void)snprintf(why, verify_why_size,
                    "kernel %.128s is not in what is compiled now",
                    kernel->name);
            return true;
        }
        if (kernels_differ(why, kernel, other)) return true;
    }
    return false;
}

/* ---- Builds -------------------------------------------------------------- */

static atomic_uint_fast64_t compared, differed, skipped;

/* False: it could not be found out. */
static bool compare_device(bool *differs, char why[verify_why_size],
        const struct built_device *kept, struct build *made, size_t device)
{
    struct bytes bytes = {.data = NULL};
    struct facts facts;
    bool is_known = collect_facts(made->substitute, made, device, &bytes)
                    && facts_decode(&facts, bytes.data, bytes.size);
    if (is_known) {
        *differs = verify_find_difference(why, &kept->facts, &facts);
        facts_free_lists(&facts);
    }
    free(bytes.data);
    return is_known;
}

/* The one place that says whether what was loaded is what is compiled now. */
static bool compare(bool *differs, char why[verify_why_size],
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
    char why[verify_why_size] = "";
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
    print_warning("verify: an entry is not what is compiled now: %s. It is "
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

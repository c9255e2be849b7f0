/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/compile/verify_code.h"

#include "layer/capture/capture_put.h"
#include "layer/compile/compiled_again.h"
#include "layer/driver/watch.h"
#include "layer/programs/identity.h"
#include "layer/storage/storage.h"

#include <stdlib.h>

static void be_open(struct proof *proof, const char *what)
{
    *proof = (struct proof){.verdict = proof_open, .what = what};
}

/* The very entry that was loaded. True: the caller releases it. */
static bool get_loaded(
        struct storage_entry *entry, const struct built_device *d)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    if (!storage_get(entry, d->id_size, d->id)) return false;
    if (dnnl_cache_blob_inspect(entry->size, entry->blob, &info)
            == dnnl_success) {
        const struct loaded_key key =
                loaded_key(d->id_size, d->id, entry->size, entry->blob);
        if (key.high == d->loaded.high && key.low == d->loaded.low) return true;
    }
    storage_release(entry);
    return false;
}

/* What a capture would store; bytes NULL: the driver or memory failed. */
static struct proof_blob make_blob(
        struct build *made, size_t device, bool with_form)
{
    struct captured captured = {.adopted = NULL};
    struct proof_blob blob = {0, NULL};
    watch_work_begin();
    if (capture_ask_program(
                made->substitute, made, device, with_form ? 1 : 0, &captured))
        blob.bytes = capture_make_blob(
                &made->devices[device], &captured, &blob.size);
    watch_work_end();
    captured_fini(&captured);
    return blob;
}

static void free_blob(const struct proof_blob *blob)
{
    free((uint8_t *)(uintptr_t)blob->bytes); /* capture_make_blob() */
}

/* Something differs: is that what the driver makes each time? */
static void judge_difference(struct proof *proof, struct layer_program *program,
        const struct build *loaded, size_t device, bool with_form,
        const struct proof_blob *first)
{
    struct proof twice;
    struct build *made = compiled_build_again(program, loaded);
    if (made == NULL) {
        be_open(proof, "the program could not be compiled a second time");
        return;
    }
    const struct proof_blob second = make_blob(made, device, with_form);
    if (second.bytes == NULL)
        be_open(&twice, "the driver returned no binary");
    else
        proof_compare(&twice, first, &second, true);
    if (twice.verdict == proof_open)
        be_open(proof, twice.what);
    else if (twice.verdict == proof_differs)
        be_open(proof, "this driver does not compile the same twice");
    free_blob(&second);
    build_release(made);
}

static void compare_with(struct proof *proof, struct layer_program *program,
        const struct build *loaded, struct build *made, size_t device,
        const struct proof_blob *entry)
{
    const bool with_form = proof_has_form(entry);
    const struct proof_blob again = make_blob(made, device, with_form);
    if (again.bytes == NULL) {
        be_open(proof, "the driver returned no binary");
        return;
    }
    proof_compare(proof, entry, &again, true);
    if (proof->verdict == proof_differs)
        judge_difference(proof, program, loaded, device, with_form, &again);
    free_blob(&again);
}

void verify_code(struct proof *proof, struct layer_program *program,
        const struct build *loaded, struct build *made, size_t device)
{
    const struct built_device *d = &loaded->devices[device];
    struct storage_entry entry;
    if (identity_changed_variable() != NULL
            || capture_driver_is_changed(d->device)) {
        be_open(proof, "the driver or its environment has changed since the "
                       "process began");
        return;
    }
    if (!get_loaded(&entry, d)) {
        be_open(proof, "the entry was replaced or removed meanwhile");
        return;
    }
    const struct proof_blob blob = {entry.size, entry.blob};
    compare_with(proof, program, loaded, made, device, &blob);
    storage_release(&entry);
}

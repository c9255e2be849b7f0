/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/proof/proof.h"

#include "src/binaries/pocl_layout.h"
#include "src/blob/codec.h"
#include "src/blob/reader.h"
#include "tools/common/id/facts_difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char out_of_memory[] = "out of memory";

bool proof_find(struct proof *proof, enum proof_suspect suspect,
        const char *what, const char *where)
{
    proof->verdict = proof_differs;
    proof->suspect = suspect;
    proof->what = what;
    snprintf(proof->where, sizeof proof->where, "%s", where);
    return false;
}

const char *proof_suspect_text(enum proof_suspect suspect)
{
    switch (suspect) {
    case suspect_driver:
        return "the build of the driver";
    case suspect_source:
        return "a part of the source, a header or an option";
    case suspect_code:
        return "an environment variable, a file of the driver, its linker or a "
               "feature of the processor";
    case suspect_any:
        break;
    }
    return "a header, an option, an environment variable, a file of the driver "
           "or a feature of the processor";
}

/* ---- Binaries ------------------------------------------------------------ */

/* bytes NULL: no memory, or it cannot be decoded. */
static struct proof_blob decode(
        uint32_t codec, const uint8_t *bytes, size_t size, uint64_t raw_size)
{
    struct proof_blob raw = {(size_t)raw_size, NULL};
    uint8_t *copy = malloc((size_t)raw_size + 1);
    if (copy == NULL) return raw;
    if (codec_decode((enum blob_codec)codec, bytes, size, copy, raw.size)
            == dnnl_success)
        raw.bytes = copy;
    else
        free(copy);
    return raw;
}

static void decoded_free(const struct proof_blob *raw)
{
    free((uint8_t *)(uintptr_t)raw->bytes); /* decode() */
}

static void compare_bytes(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again, const char *what)
{
    if (entry->size == again->size
            && memcmp(entry->bytes, again->bytes, entry->size) == 0) {
        proof->verdict = proof_same;
        proof->functions++;
    } else {
        (void)proof_find(proof, suspect_any, what, "");
    }
}

static void compare_binary(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again)
{
    if (entry->bytes == NULL || again->bytes == NULL)
        proof->what = out_of_memory;
    else if (pocl_layout_is(again->bytes, again->size))
        proof_compare_pocl(proof, entry, again);
    else
        compare_bytes(proof, entry, again, "the driver's binary");
}

bool proof_has_code_for_all(const struct proof_blob *entry)
{
    static const char folder[] = "/0-0-0/";
    struct blob_view view;
    struct blob_program program;
    if (blob_read(&view, entry->bytes, entry->size, NULL) != dnnl_success
            || blob_view_program(&view, 0, &program) != dnnl_success)
        return false;
    const struct proof_blob raw = decode(program.codec, program.binary,
            program.binary_size, program.raw_size);
    const bool has =
            raw.bytes != NULL && pocl_layout_is(raw.bytes, raw.size)
            && memmem(raw.bytes, raw.size, folder, strlen(folder)) != NULL;
    decoded_free(&raw);
    return has;
}

/* Has the entry a form of its own, beside the driver's binary? The driver loads
 * that one. */
static bool has_form(const struct blob_program *program)
{
    return program->final_binary != NULL;
}

static void be_open(struct proof *proof, const char *what)
{
    proof->verdict = proof_open;
    proof->what = what;
}

/* That the entry has none yet is no difference; that it has one which was not
 * made again leaves open what is loaded. */
static void compare_forms(struct proof *proof, const struct blob_program *entry,
        const struct blob_program *again)
{
    if (!has_form(entry)) return;
    if (!has_form(again) || entry->finaliser_size != again->finaliser_size
            || memcmp(entry->finaliser, again->finaliser, entry->finaliser_size)
                       != 0) {
        be_open(proof, "the finalised machine code was not made again");
        return;
    }
    const struct proof_blob a = decode(entry->final_codec, entry->final_binary,
            entry->final_size, entry->final_raw_size);
    const struct proof_blob b = decode(again->final_codec, again->final_binary,
            again->final_size, again->final_raw_size);
    if (a.bytes != NULL && b.bytes != NULL)
        compare_bytes(proof, &a, &b, "the finalised machine code");
    else
        be_open(proof, out_of_memory);
    decoded_free(&a);
    decoded_free(&b);
}

bool proof_has_form(const struct proof_blob *entry)
{
    struct blob_view view;
    struct blob_program program;
    if (blob_read(&view, entry->bytes, entry->size, NULL) != dnnl_success)
        return false;
    for (uint32_t i = 0; i < view.program_count; i++)
        if (blob_view_program(&view, i, &program) == dnnl_success
                && has_form(&program))
            return true;
    return false;
}

static void compare_program(struct proof *proof,
        const struct blob_program *entry, const struct blob_program *again)
{
    const struct proof_blob a = decode(
            entry->codec, entry->binary, entry->binary_size, entry->raw_size);
    const struct proof_blob b = decode(
            again->codec, again->binary, again->binary_size, again->raw_size);
    proof->verdict = proof_open;
    compare_binary(proof, &a, &b);
    if (proof->verdict == proof_same) compare_forms(proof, entry, again);
    decoded_free(&a);
    decoded_free(&b);
}

/* ---- The whole ----------------------------------------------------------- */

static bool has_kernel(
        const struct blob_view *view, const struct blob_kernel *wanted)
{
    struct blob_kernel kernel;
    for (uint32_t i = 0; i < view->kernel_count; i++)
        if (blob_view_kernel(view, i, &kernel) == dnnl_success
                && kernel.name_size == wanted->name_size
                && memcmp(kernel.name, wanted->name, wanted->name_size) == 0)
            return true;
    return false;
}

/* Those that the library noted in the blob. */
static bool compare_kernels(struct proof *proof, const struct blob_view *entry,
        const struct blob_view *again)
{
    struct blob_kernel kernel;
    if (entry->kernel_count != again->kernel_count)
        return proof_find(proof, suspect_source, "the number of kernels", "");
    for (uint32_t i = 0; i < entry->kernel_count; i++)
        if (blob_view_kernel(entry, i, &kernel) == dnnl_success
                && !has_kernel(again, &kernel))
            return proof_find(proof, suspect_source,
                    "a kernel that the program does not have now", kernel.name);
    return true;
}

bool proof_compare_facts(struct proof *proof, const struct facts *entry,
        const struct facts *again, bool is_pocls)
{
    struct facts_difference d;
    return !facts_find_difference(&d, entry, again, is_pocls)
           || proof_find(proof, suspect_source, d.what, d.kernel);
}

/* Is its first binary PoCL's? */
static bool is_of_pocl(const struct blob_view *view)
{
    struct blob_program program;
    if (blob_view_program(view, 0, &program) != dnnl_success) return false;
    const struct proof_blob raw = decode(program.codec, program.binary,
            program.binary_size, program.raw_size);
    const bool is = raw.bytes != NULL && pocl_layout_is(raw.bytes, raw.size);
    decoded_free(&raw);
    return is;
}

/* What the layer keeps of the driver's answers. */
static bool compare_answers(struct proof *proof, const struct blob_view *entry,
        const struct blob_view *again)
{
    struct facts a = {.is_full = false};
    struct facts b = {.is_full = false};
    bool is_same = false;
    proof->verdict = proof_open;
    proof->what = "the layer's record in the entry is of another version";
    if (entry->user_data != NULL && again->user_data != NULL
            && facts_decode(&a, entry->user_data, entry->user_data_size)
            && facts_decode(&b, again->user_data, again->user_data_size))
        is_same = proof_compare_facts(proof, &a, &b, is_of_pocl(again));
    facts_free_lists(&a);
    facts_free_lists(&b);
    return is_same;
}

static void compare_programs(struct proof *proof, const struct blob_view *entry,
        const struct blob_view *again)
{
    struct blob_program a, b;
    if (entry->program_count != again->program_count
            || entry->program_count == 0) {
        (void)proof_find(proof, suspect_source, "the number of programs", "");
        return;
    }
    for (uint32_t i = 0; i < entry->program_count; i++) {
        if (blob_view_program(entry, i, &a) != dnnl_success
                || blob_view_program(again, i, &b) != dnnl_success) {
            proof->verdict = proof_open;
            return;
        }
        compare_program(proof, &a, &b);
        if (proof->verdict != proof_same) return;
    }
}

void proof_compare(struct proof *proof, const struct proof_blob *entry,
        const struct proof_blob *again, bool is_layers)
{
    struct blob_view a, b;
    *proof = (struct proof){
            .verdict = proof_open, .what = "the blob cannot be read"};
    if (blob_read(&a, entry->bytes, entry->size, NULL) != dnnl_success
            || blob_read(&b, again->bytes, again->size, NULL) != dnnl_success)
        return;
    compare_programs(proof, &a, &b);
    if (proof->verdict == proof_differs && proof->suspect != suspect_any)
        return;
    /* What the driver answers says more than that bytes differ. */
    const struct proof code = *proof;
    if ((is_layers ? compare_answers(proof, &a, &b)
                   : compare_kernels(proof, &a, &b))
            || (code.verdict == proof_differs && proof->verdict == proof_open))
        *proof = code;
}

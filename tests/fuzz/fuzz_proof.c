/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the binaries of an entry and of what was compiled again, which
 * `dnnl-cache prove` compares: PoCL's, LLVM's modules and machine code, and
 * what the layer keeps of the driver's answers. What is compared with itself is
 * the same, or cannot be told; a difference has a name and a place that ends; a
 * module that is read has one digest, wherever its bytes are.
 */
#include "pieces.h"
#include "src/binaries/pocl_layout.h"
#include "tools/common/proof/proof.h"
#include "tools/common/proof/proof_bitcode.h"

static void check_module(const struct piece *module)
{
    uint64_t digest[2] = {1, 2};
    uint64_t again[2] = {3, 4};
    uint8_t *odd = malloc(module->size + 1);
    REQUIRE(odd != NULL);
    if (module->size > 0) memcpy(odd + 1, module->data, module->size);
    const bool is_read =
            proof_bitcode_digest(digest, module->data, module->size);
    REQUIRE(proof_bitcode_digest(again, odd + 1, module->size) == is_read);
    if (is_read)
        REQUIRE(memcmp(digest, again, sizeof digest) == 0);
    else
        REQUIRE(digest[0] == 1 && digest[1] == 2);
    free(odd);
}

static void check_code(
        const struct proof_blob *entry, const struct proof_blob *again)
{
    REQUIRE(proof_compare_code(entry, entry) == proof_code_same);
    REQUIRE(proof_compare_code(entry, again)
            == proof_compare_code(again, entry));
}

/* ---- Binaries ------------------------------------------------------------ */

static void check_proof(const struct proof *proof)
{
    REQUIRE(memchr(proof->where, '\0', sizeof proof->where) != NULL);
    if (proof->verdict != proof_same)
        REQUIRE(proof->what != NULL && proof->what[0] != '\0');
}

static bool has_file_twice(struct pocl_files files)
{
    struct pocl_file a, b;
    while (pocl_files_next(&files, &a))
        for (struct pocl_files rest = files; pocl_files_next(&rest, &b);)
            if (a.name_size == b.name_size
                    && memcmp(a.name, b.name, a.name_size) == 0)
                return true;
    return false;
}

/* Nor a kernel. No driver writes that, so that it is not what a driver makes.
 */
static bool has_something_twice(const struct proof_blob *binary)
{
    struct pocl_layout layout;
    struct pocl_kernel a, b;
    size_t at = 0;
    if (!pocl_layout_read(&layout, binary->bytes, binary->size)) return false;
    while (pocl_layout_kernel(&layout, &at, &a)) {
        if (has_file_twice(a.files)) return true;
        for (size_t next = at; pocl_layout_kernel(&layout, &next, &b);)
            if (a.name_size == b.name_size
                    && memcmp(a.name, b.name, a.name_size) == 0)
                return true;
    }
    return false;
}

static void check_binaries(
        const struct proof_blob *entry, const struct proof_blob *again)
{
    struct proof proof = {.what = NULL};
    if (!pocl_layout_is(again->bytes, again->size)) return;
    proof_compare_pocl(&proof, entry, again);
    check_proof(&proof);
    proof = (struct proof){.what = NULL};
    proof_compare_pocl(&proof, again, again);
    check_proof(&proof);
    REQUIRE(proof.verdict != proof_differs || has_something_twice(again));
}

/* ---- Answers ------------------------------------------------------------- */

static void check_answers(
        const struct proof_blob *entry, const struct proof_blob *again)
{
    struct proof proof = {.what = NULL};
    struct facts a = {.is_full = false};
    struct facts b = {.is_full = false};
    if (facts_decode(&a, entry->bytes, entry->size)
            && facts_decode(&b, again->bytes, again->size)) {
        REQUIRE(proof_compare_facts(&proof, &a, &a, false));
        const bool differs = !proof_compare_facts(&proof, &a, &b, false);
        if (differs) {
            REQUIRE(proof.verdict == proof_differs);
            check_proof(&proof);
        }
        /* With PoCL fewer differences count. */
        REQUIRE(differs || proof_compare_facts(&proof, &a, &b, true));
    }
    facts_free_lists(&a);
    facts_free_lists(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece a = pieces_next(&pieces);
    struct piece b = pieces_rest(&pieces);
    const struct proof_blob entry = {a.size, a.data};
    const struct proof_blob again = {b.size, b.data};
    check_module(&a);
    check_module(&b);
    check_code(&entry, &again);
    check_binaries(&entry, &again);
    check_answers(&entry, &again);
    free(a.data);
    free(b.data);
    return 0;
}

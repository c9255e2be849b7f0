/* SPDX-License-Identifier: Apache-2.0 */
/* Blobs and binaries of PoCL that are compared: what an entry has more, or
 * twice, is not proved by what it has in common. */
#include "forge.h"
#include "pocl_draft.h"
#include "test.h"

#include "src/binaries/pocl_layout.h"
#include "src/common/byte_order.h"
#include "tools/common/id/facts_difference.h"
#include "tools/common/proof/proof.h"

#include <string.h>

static struct buffer binary_of(const struct pocl_draft *draft)
{
    struct buffer out;
    buffer_init(&out);
    pocl_draft_write(draft, &out);
    return out;
}

static struct proof compare(const struct buffer *a, const struct buffer *b)
{
    const struct proof_blob entry = {a->size, a->data};
    const struct proof_blob again = {b->size, b->data};
    struct proof proof = {.what = NULL};
    proof_compare_pocl(&proof, &entry, &again);
    return proof;
}

static struct proof compare_drafts(
        const struct pocl_draft *a, const struct pocl_draft *b)
{
    struct buffer entry = binary_of(a);
    struct buffer again = binary_of(b);
    const struct proof proof = compare(&entry, &again);
    buffer_fini(&entry);
    buffer_fini(&again);
    return proof;
}

TEST_C(ProveBinaries, ThatAreTheSameAreProved)
{
    static const uint32_t versions[] = {8, 9, 11, 12};
    for (size_t i = 0; i < COUNT(versions); i++) {
        const struct pocl_draft draft = pocl_draft_good(versions[i]);
        const struct proof proof = compare_drafts(&draft, &draft);
        EXPECT_EQ(proof_same, proof.verdict);
        EXPECT_EQ(4, (long long)proof.functions);
    }
}

/* As many kernels, and each is one of the program's. */
TEST_C(ProveBinaries, KernelThatIsThereTwiceStandsForNoOther)
{
    const struct pocl_draft again = pocl_draft_good(9);
    struct pocl_draft entry = again;
    entry.kernels[1] = entry.kernels[0];
    const struct proof proof = compare_drafts(&entry, &again);
    EXPECT_EQ(proof_differs, proof.verdict);
    EXPECT_STR_EQ("a kernel is there twice", proof.what);
    EXPECT_STR_EQ("add", proof.where);
}

TEST_C(ProveBinaries, OfAnotherKindDiffer)
{
    struct pocl_draft entry = pocl_draft_good(11);
    const struct pocl_draft again = entry;
    entry.type = 2;
    EXPECT_EQ(proof_differs, compare_drafts(&entry, &again).verdict);
    entry = again;
    entry.variables = 64;
    EXPECT_EQ(proof_differs, compare_drafts(&entry, &again).verdict);
}

/* ---- Programs whose kernels have no machine code yet --------------------- */

static struct pocl_draft bare_draft(void)
{
    struct pocl_draft draft = pocl_draft_good(9);
    for (size_t i = 0; i < draft.kernel_count; i++)
        memset(draft.kernels[i].files, 0, sizeof draft.kernels[i].files);
    return draft;
}

/* One more of the same name: the driver unpacks one after the other. */
static struct buffer with_second_module(const struct pocl_draft *draft)
{
    static const char name[] = "/program.bc";
    static const char module[] = "another program";
    struct buffer plain = binary_of(draft);
    struct buffer out;
    struct pocl_layout layout;
    buffer_init(&out);
    EXPECT_TRUE(pocl_layout_read(&layout, plain.data, plain.size));
    const size_t end = layout.files_at + layout.files_size;
    buffer_append(&out, plain.data, end);
    buffer_append_u32(&out, sizeof name - 1);
    buffer_append(&out, name, sizeof name - 1);
    buffer_append_u32(&out, sizeof module);
    buffer_append(&out, module, sizeof module);
    const size_t more = out.size - end;
    buffer_append(&out, plain.data + end, plain.size - end);
    store_le64(out.data + layout.files_at,
            load_le64(out.data + layout.files_at) + more);
    buffer_fini(&plain);
    return out;
}

TEST_C(ProveBinaries, WithOneModuleMoreAreNotProved)
{
    const struct pocl_draft draft = bare_draft();
    struct buffer again = binary_of(&draft);
    struct buffer entry = with_second_module(&draft);
    EXPECT_EQ(proof_same, compare(&again, &again).verdict);
    EXPECT_EQ(proof_open, compare(&entry, &again).verdict);
    EXPECT_EQ(proof_open, compare(&again, &entry).verdict);
    buffer_fini(&entry);
    buffer_fini(&again);
}

/* ---- Finalised forms ----------------------------------------------------- */

/* The driver loads the form of the entry. */
TEST_C(ProveBinaries, FormThatWasNotMadeAgainIsNotProved)
{
    struct sample entry, again;
    struct proof proof;
    sample_init_finalised(&entry, blob_kind_program);
    sample_init(&again, blob_kind_program);
    const struct proof_blob with = {entry.size, entry.blob};
    const struct proof_blob without = {again.size, again.blob};
    EXPECT_TRUE(proof_has_form(&with));
    EXPECT_FALSE(proof_has_form(&without));
    proof_compare(&proof, &with, &without, false);
    EXPECT_EQ(proof_open, proof.verdict);
    EXPECT_STR_EQ("the finalised machine code was not made again", proof.what);
    proof_compare(&proof, &without, &with, false);
    EXPECT_EQ(proof_same, proof.verdict);
    proof_compare(&proof, &with, &with, false);
    EXPECT_EQ(proof_same, proof.verdict);
    sample_fini(&entry);
    sample_fini(&again);
}

/* ---- What the driver answers --------------------------------------------- */

static struct facts facts_of(
        struct kernel_facts *kernel, struct arg_facts *args)
{
    const struct arg_facts none = {.type_name = "", .name = ""};
    args[0] = (struct arg_facts){.address = 1, .type_name = "int", .name = "a"};
    args[1] = none;
    *kernel = (struct kernel_facts){.name = "k",
            .attributes = "",
            .local_bytes = 64,
            .arg_count = 1,
            .args = args};
    return (struct facts){.binary_type = 4,
            .options = "",
            .log = "",
            .kernel_names = "k",
            .kernel_count = 1,
            .kernels = kernel};
}

/* A change of one answer, and what the comparison calls it; NULL: nothing. */
struct change {
    void (*make)(struct facts *facts);
    const char *what;
};

static void change_type(struct facts *f)
{
    f->binary_type = 2;
}

static void change_names(struct facts *f)
{
    f->kernel_names = "l";
}

static void change_status(struct facts *f)
{
    f->names_status = -45;
}

static void change_address(struct facts *f)
{
    f->kernels[0].args[0].address = 2;
}

static void change_unknown(struct facts *f)
{
    f->kernels[0].args[1].status[0] = -49;
    f->kernels[0].args[1].address = 7;
}

static void change_attributes(struct facts *f)
{
    f->kernels[0].attributes = "vec_type_hint(int)";
}

static void change_local(struct facts *f)
{
    f->kernels[0].local_bytes = 65;
}

static void forget_local(struct facts *f)
{
    f->kernels[0].local_bytes = facts_no_bytes;
}

static void change_variables(struct facts *f)
{
    f->global_bytes = 8;
}

static void change_log(struct facts *f)
{
    f->log = "of another folder";
    f->options = "-I /elsewhere";
    f->compile_ns = 9;
}

TEST_C(ProveBinaries, AnswersThatDifferAreNamed)
{
    static const struct change changes[] = {
            {change_type, "what kind of program it is"},
            {change_names, "the names of the kernels"},
            {change_status, "the names of the kernels"},
            {change_address,
                    "what the driver says of a kernel's arguments of k"},
            {change_unknown,
                    "what the driver says of a kernel's arguments of k"},
            {change_attributes, "a kernel's attributes of k"},
            {change_local, "the size of a kernel's local memory of k: 64, "
                           "compiled now 65"},
            {forget_local, NULL},
            {change_variables, "the size of the program's variables: 0, "
                               "compiled now 8"},
            {change_log, NULL},
    };
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct kernel_facts kernels[2];
        struct arg_facts args[2][2];
        const struct facts kept = facts_of(&kernels[0], args[0]);
        struct facts made = facts_of(&kernels[1], args[1]);
        struct facts_difference d;
        char text[facts_difference_text_size] = "";
        EXPECT_FALSE(facts_find_difference(&d, &kept, &made, false));
        changes[i].make(&made);
        const bool differs = facts_find_difference(&d, &kept, &made, false);
        EXPECT_EQ(changes[i].what != NULL, differs);
        EXPECT_EQ(differs, facts_find_difference(&d, &kept, &made, true));
        if (!differs) continue;
        facts_difference_print(text, &d);
        EXPECT_STR_EQ(changes[i].what, text);
    }
}

static void hide_argument(struct arg_facts *arg)
{
    *arg = (struct arg_facts){.type_name = "", .name = ""};
    for (size_t i = 0; i < COUNT(arg->status); i++)
        arg->status[i] = CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
}

/* PoCL has argument info of what was built with no options, and not of the same
 * program with "". */
TEST_C(ProveBinaries, ArgumentsThatOneOptionHidesAreNoDifference)
{
    struct kernel_facts kernels[2];
    struct arg_facts args[2][2];
    struct facts told = facts_of(&kernels[0], args[0]);
    struct facts hidden = facts_of(&kernels[1], args[1]);
    struct facts_difference d;
    hide_argument(&args[1][0]);
    EXPECT_FALSE(facts_find_difference(&d, &told, &hidden, true));
    EXPECT_FALSE(facts_find_difference(&d, &hidden, &told, true));
    /* Of another driver. */
    EXPECT_TRUE(facts_find_difference(&d, &told, &hidden, false));
    EXPECT_TRUE(facts_find_difference(&d, &hidden, &told, false));
    /* Another argument, of which both have something else. */
    args[0][1].status[0] = CL_INVALID_ARG_INDEX;
    EXPECT_TRUE(facts_find_difference(&d, &told, &hidden, true));
    args[0][1].status[0] = CL_SUCCESS;
    /* With options one ID has one answer. */
    told.options = "-w";
    EXPECT_TRUE(facts_find_difference(&d, &told, &hidden, true));
    EXPECT_TRUE(facts_find_difference(&d, &hidden, &told, true));
    hidden.options = "-w";
    EXPECT_TRUE(facts_find_difference(&d, &told, &hidden, true));
}

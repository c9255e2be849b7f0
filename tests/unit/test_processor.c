/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of processors: by invented ones, and by the one that is here. */
#include "src/platform/processor.h"

#include "test.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An answer to CPUID that is not zero. */
struct leaf {
    uint32_t leaf, subleaf;
    struct processor_words words;
};

struct machine {
    struct leaf leaves[16];
    size_t count;
    uint64_t enabled;
    unsigned asked;
};

static struct processor_words answer(
        void *user, uint32_t leaf, uint32_t subleaf)
{
    struct machine *machine = user;
    machine->asked++;
    for (size_t i = 0; i < machine->count; i++)
        if (machine->leaves[i].leaf == leaf
                && machine->leaves[i].subleaf == subleaf)
            return machine->leaves[i].words;
    return (struct processor_words){0, 0, 0, 0};
}

static uint64_t enabled(void *user)
{
    return ((struct machine *)user)->enabled;
}

static struct processor read_of(struct machine *machine)
{
    struct processor processor;
    const struct processor_x86 x86 = {answer, enabled, machine};
    EXPECT_TRUE(processor_read_x86(&processor, &x86));
    return processor;
}

enum { of_0, of_1, of_7, of_7_1, of_d, of_cache, of_topology, of_kind };

/* A server of 2023, as far as it matters here. */
static struct machine server(void)
{
    return (struct machine){
            .leaves = {[of_0] = {0, 0,
                               {0x20, 0x756e6547, 0x6c65746e, 0x49656e69}},
                    [of_1] = {1, 0,
                            {0xc06f2, 0x03200800, 0xfffa3203, 0x1f8bfbff}},
                    [of_7] = {7, 0, {2, 0xf1bf2ffb, 0x1a415f7e, 0xffdd4432}},
                    [of_7_1] = {7, 1, {0x1c30, 0, 0, 0}},
                    [of_d] = {0xd, 1, {0x1f, 0, 0, 0}},
                    [of_cache] = {4, 0, {0xfc004121, 0x2c0003f, 0x3f, 0}},
                    [of_topology] = {0xb, 0, {1, 2, 0x100, 3}},
                    [of_kind] = {0x1a, 0, {0x40000001, 0, 0, 0}}},
            .count = 8,
            .enabled = 0xe7};
}

static bool has(const struct processor *processor, const char *word)
{
    const size_t length = strlen(word);
    const char *at = processor->features;
    while ((at = strstr(at, word)) != NULL) {
        if ((at == processor->features || at[-1] == ' ')
                && (at[length] == ' ' || at[length] == '\0'))
            return true;
        at += length;
    }
    return false;
}

static bool is_sorted(const struct processor *processor)
{
    char text[processor_features_size];
    char *place = NULL;
    const char *before = "";
    (void)snprintf(text, sizeof text, "%s", processor->features);
    for (char *word = strtok_r(text, " ", &place); word != NULL;
            word = strtok_r(NULL, " ", &place)) {
        if (strcmp(before, word) >= 0) return false;
        before = word;
    }
    return true;
}

TEST_C(Processor, IsNamedByVendorFamilyAndModel)
{
    struct machine machine = server();
    const struct processor processor = read_of(&machine);
    EXPECT_STR_EQ("GenuineIntel 6 207", processor.name);
    EXPECT_TRUE(has(&processor, "avx512f"));
    EXPECT_TRUE(has(&processor, "sse4.2"));
    EXPECT_TRUE(has(&processor, "os-avx512"));
    EXPECT_FALSE(has(&processor, "os-amx"));
    EXPECT_TRUE(is_sorted(&processor));
}

TEST_C(Processor, OfAmdHasTheFamilyThatIsExtended)
{
    struct machine machine = server();
    machine.leaves[of_0].words =
            (struct processor_words){0x10, 0x68747541, 0x444d4163, 0x69746e65};
    machine.leaves[of_1].words.eax = 0x00a20f12;
    const struct processor processor = read_of(&machine);
    EXPECT_STR_EQ("AuthenticAMD 25 33", processor.name);
}

static void expect_same(struct machine *other, bool is_same)
{
    struct machine machine = server();
    const struct processor a = read_of(&machine);
    const struct processor b = read_of(other);
    EXPECT_EQ(is_same,
            strcmp(a.name, b.name) == 0 && strcmp(a.features, b.features) == 0);
}

/* Each bit of CPUID's words of features that is hidden is another processor,
 * unless it is the system's. */
TEST_C(Processor, IsAnotherWithoutWhatCodeMayUse)
{
    static const struct {
        int leaf;
        int where; /* of eax, ebx, ecx, edx */
        unsigned bit;
    } hidden[] = {{of_7, 1, 16} /* avx512f */, {of_7, 1, 31} /* avx512vl */,
            {of_1, 2, 28} /* avx */, {of_1, 2, 12} /* fma */,
            {of_7, 2, 4} /* ospke */, {of_7_1, 0, 4} /* avxvnni */,
            {of_d, 0, 1} /* xsavec */};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
        struct machine other = server();
        struct processor_words *w = &other.leaves[hidden[i].leaf].words;
        uint32_t *const words[] = {&w->eax, &w->ebx, &w->ecx, &w->edx};
        *words[hidden[i].where] ^= UINT32_C(1) << hidden[i].bit;
        expect_same(&other, false);
    }
}

TEST_C(Processor, IsAnotherWhereTheSystemDoesNotSaveItsRegisters)
{
    struct machine other = server();
    other.enabled = 0x7;
    expect_same(&other, false);
    const struct processor processor = read_of(&other);
    EXPECT_TRUE(has(&processor, "avx512f"));
    EXPECT_FALSE(has(&processor, "os-avx512"));
    EXPECT_TRUE(has(&processor, "os-avx"));
    /* Without XSAVE nothing is asked for. */
    other.leaves[of_1].words.ecx &= ~(UINT32_C(1) << 27);
    const struct processor without = read_of(&other);
    EXPECT_FALSE(has(&without, "os-avx"));
}

TEST_C(Processor, IsAnotherOfAnotherModelButNotOfAnotherStepping)
{
    struct machine other = server();
    other.leaves[of_1].words.eax ^= 0x1; /* stepping */
    expect_same(&other, true);
    other.leaves[of_1].words.eax ^= 0x10; /* model */
    expect_same(&other, false);
}

/* Another core, of another kind, too; microcode; a clock; a hypervisor. */
TEST_C(Processor, IsTheSameInAllElse)
{
    struct machine other = server();
    other.leaves[of_1].words.ebx = 0x13200800;    /* APIC's number */
    other.leaves[of_7].words.edx ^= 1u << 15;     /* hybrid */
    other.leaves[of_7].words.edx ^= 1u << 10;     /* MD_CLEAR */
    other.leaves[of_7].words.edx ^= 7u << 26;     /* IBRS, STIBP, L1D */
    other.leaves[of_1].words.ecx ^= 1u << 31;     /* hypervisor */
    other.leaves[of_1].words.edx ^= 1u << 18;     /* serial number */
    other.leaves[of_cache].words.ebx = 0x1c0003f; /* caches */
    other.leaves[of_topology].words.edx = 0x1b;   /* which core */
    other.leaves[of_kind].words.eax = 0x20000001; /* a small one */
    other.leaves[other.count++] =
            (struct leaf){0x16, 0, {3000, 4000, 100, 0}}; /* clock */
    expect_same(&other, true);
}

/* A compiler to come may know it. */
TEST_C(Processor, HasBitsWithoutANameByTheirNumbers)
{
    struct machine other = server();
    other.leaves[of_7_1].words.eax |= 1u << 13;
    const struct processor processor = read_of(&other);
    EXPECT_TRUE(has(&processor, "7.1.eax.13"));
    expect_same(&other, false);
}

/* Leaves that it does not have answer as another does. */
TEST_C(Processor, IsNotAskedForWhatItDoesNotHave)
{
    struct machine old = server();
    old.leaves[of_0].words.eax = 1;
    const struct processor processor = read_of(&old);
    EXPECT_FALSE(has(&processor, "avx512f"));
    EXPECT_LE(old.asked, 4);
    old.leaves[of_0].words.eax = 0;
    struct processor none;
    const struct processor_x86 x86 = {answer, enabled, &old};
    EXPECT_FALSE(processor_read_x86(&none, &x86));
}

/* ---- ARM ----------------------------------------------------------------- */

#define CORE(number, part, revision)                                         \
    "processor\t: " number "\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd sve\n" \
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\n"     \
    "CPU part\t: " part "\nCPU revision\t: " revision "\n\n"

static struct processor read_arm(const char *cpuinfo, uint64_t hwcap)
{
    struct processor processor;
    const uint64_t words[] = {hwcap, 0x2};
    EXPECT_TRUE(processor_read_arm(&processor, cpuinfo, 2, words));
    return processor;
}

TEST_C(Processor, OfArmIsNamedByItsCores)
{
    const struct processor one =
            read_arm(CORE("0", "0xd0c", "1") CORE("1", "0xd0c", "1"), 0xff);
    EXPECT_STR_EQ("41-3-d0c", one.name);
    EXPECT_STR_EQ("asimd fp hwcap0=ff hwcap1=2 sve", one.features);
    /* Of more cores, and of another revision. */
    const struct processor other = read_arm(CORE("0", "0xd0c", "2"), 0xff);
    EXPECT_STR_EQ(one.name, other.name);
    EXPECT_STR_EQ(one.features, other.features);
    const struct processor less = read_arm(CORE("0", "0xd0c", "1"), 0x7f);
    EXPECT_STR_EQ("asimd fp hwcap0=7f hwcap1=2 sve", less.features);
}

/* Wherever the thread runs; LLVM takes the last one. */
TEST_C(Processor, OfArmWithTwoKindsOfCoresHasBoth)
{
    const struct processor both =
            read_arm(CORE("0", "0xd05", "0") CORE("1", "0xd05", "0")
                             CORE("2", "0xd0a", "0"),
                    0xff);
    EXPECT_STR_EQ("41-3-d05 41-3-d0a", both.name);
    const struct processor turned =
            read_arm(CORE("0", "0xd0a", "0") CORE("1", "0xd05", "0"), 0xff);
    EXPECT_STR_EQ("41-3-d0a 41-3-d05", turned.name);
    const struct processor none = read_arm("", 0xff);
    EXPECT_STR_EQ("", none.name);
}

/* ---- Names --------------------------------------------------------------- */

TEST_C(Processor, HasNoClockInItsName)
{
    static const char *const names[][2] = {
            {"Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz",
                    "Intel(R) Xeon(R) CPU E5-2686 v4"},
            {"pthread-haswell-Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz",
                    "pthread-haswell-Intel(R) Core(TM) i7-4770 CPU"},
            {"AMD EPYC 7742 64-Core Processor",
                    "AMD EPYC 7742 64-Core Processor"},
            {"somebody @ home", "somebody @ home"}, {"@", "@"}, {"", ""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s", names[i][0]);
        processor_name_drop_clock(name);
        EXPECT_STR_EQ(names[i][1], name);
    }
}

/* ---- The one that is here ------------------------------------------------ */

TEST_C(Processor, IsTheSameOnEachCore)
{
    cpu_set_t before;
    struct processor first;
    ASSERT_EQ(0, sched_getaffinity(0, sizeof before, &before));
    EXPECT_TRUE(processor_read(&first));
    EXPECT_TRUE(first.features[0] != '\0');
    EXPECT_TRUE(is_sorted(&first));
    for (size_t core = 0; core < CPU_SETSIZE; core++) {
        cpu_set_t one;
        struct processor here;
        if (!CPU_ISSET(core, &before)) continue;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        EXPECT_EQ(0, sched_setaffinity(0, sizeof one, &one));
        EXPECT_TRUE(processor_read(&here));
        EXPECT_STR_EQ(first.name, here.name);
        EXPECT_STR_EQ(first.features, here.features);
    }
    EXPECT_EQ(0, sched_setaffinity(0, sizeof before, &before));
}

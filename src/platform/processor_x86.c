/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bits of CPUID say what code may contain. The words here are those that
 * LLVM, GCC and their like read; a bit that has no name yet counts by its
 * number, so that a compiler that knows it does not share with one machine what
 * another cannot run. What stands in `system` counts nowhere: it is the
 * operating system's, the firmware's or the hypervisor's business, changes with
 * microcode, or differs from core to core.
 */
#include "src/platform/processor.h"
#include "src/platform/processor_words.h"

#include <stdio.h>
#include <string.h>

enum word_index {
    word_1_ecx,
    word_1_edx,
    word_7_ebx,
    word_7_ecx,
    word_7_edx,
    word_7_1_eax,
    word_7_1_edx,
    word_d_1_eax,
    word_14_ebx,
    word_19_ebx,
    word_1e_1_eax,
    word_24_ebx,
    word_80000001_ecx,
    word_80000001_edx,
    word_80000008_ebx,
    word_count
};

enum { in_eax, in_ebx, in_ecx, in_edx };

/* system: bits that do not count. In the words of old all others have names. */
static const struct word {
    uint32_t leaf, subleaf;
    int where;
    uint32_t system;
} words[word_count] = {
        /* dtes64 monitor ds_cpl vmx smx eist tm2 cnxt sdbg xtpr pdcm pcid dca
         * x2apic tsc_deadline osxsave hypervisor */
        [word_1_ecx] = {0x1, 0, in_ecx, UINT32_C(0x8926cdfc)},
        /* all but fpu cx8 cmov clflush mmx fxsr sse sse2 */
        [word_1_edx] = {0x1, 0, in_edx, UINT32_C(0xf8777efe)},
        /* tsc_adjust fdp smep cqm fcs rdt smap pt */
        [word_7_ebx] = {0x7, 0, in_ebx, UINT32_C(0x0210b0c2)},
        /* umip pku (ospke counts) tme la57 mawau bus_lock sgx_lc pks */
        [word_7_ecx] = {0x7, 0, in_ecx, UINT32_C(0xc13f200c)},
        /* sgx_keys srbds md_clear rtm_always_abort tsx_force_abort hybrid lbr
         * ibrs stibp l1d_flush arch_capabilities core_capabilities ssbd */
        [word_7_edx] = {0x7, 0, in_edx, UINT32_C(0xfc08ae02)},
        /* lass arch_perfmon fred lkgs wrmsrns nmi_source lam msrlist invd */
        [word_7_1_eax] = {0x7, 1, in_eax, UINT32_C(0x4c1e0140)},
        /* cet_sss uiret_uif */
        [word_7_1_edx] = {0x7, 1, in_edx, UINT32_C(0x00060000)},
        /* xgetbv1 xss xfd: for contexts of threads */
        [word_d_1_eax] = {0xd, 1, in_eax, ~UINT32_C(0xb)},
        [word_14_ebx] = {0x14, 0, in_ebx, ~UINT32_C(0x10)},
        [word_19_ebx] = {0x19, 0, in_ebx, ~UINT32_C(0x5)},
        [word_1e_1_eax] = {0x1e, 1, in_eax, 0},
        [word_24_ebx] = {0x24, 0, in_ebx, 0},
        [word_80000001_ecx] = {UINT32_C(0x80000001), 0, in_ecx,
                ~UINT32_C(0x20218961)},
        [word_80000001_edx] = {UINT32_C(0x80000001), 0, in_edx,
                ~UINT32_C(0xe0400000)},
        [word_80000008_ebx] = {UINT32_C(0x80000008), 0, in_ebx,
                ~UINT32_C(0x211)},
};

static const struct {
    uint8_t word, bit;
    const char *name;
} names[] = {
        {word_1_ecx, 0, "sse3"},
        {word_1_ecx, 1, "pclmul"},
        {word_1_ecx, 9, "ssse3"},
        {word_1_ecx, 12, "fma"},
        {word_1_ecx, 13, "cx16"},
        {word_1_ecx, 19, "sse4.1"},
        {word_1_ecx, 20, "sse4.2"},
        {word_1_ecx, 22, "movbe"},
        {word_1_ecx, 23, "popcnt"},
        {word_1_ecx, 25, "aes"},
        {word_1_ecx, 26, "xsave"},
        {word_1_ecx, 28, "avx"},
        {word_1_ecx, 29, "f16c"},
        {word_1_ecx, 30, "rdrnd"},
        {word_1_edx, 0, "fpu"},
        {word_1_edx, 8, "cx8"},
        {word_1_edx, 15, "cmov"},
        {word_1_edx, 19, "clflush"},
        {word_1_edx, 23, "mmx"},
        {word_1_edx, 24, "fxsr"},
        {word_1_edx, 25, "sse"},
        {word_1_edx, 26, "sse2"},
        {word_7_ebx, 0, "fsgsbase"},
        {word_7_ebx, 2, "sgx"},
        {word_7_ebx, 3, "bmi"},
        {word_7_ebx, 4, "hle"},
        {word_7_ebx, 5, "avx2"},
        {word_7_ebx, 8, "bmi2"},
        {word_7_ebx, 9, "erms"},
        {word_7_ebx, 10, "invpcid"},
        {word_7_ebx, 11, "rtm"},
        {word_7_ebx, 14, "mpx"},
        {word_7_ebx, 16, "avx512f"},
        {word_7_ebx, 17, "avx512dq"},
        {word_7_ebx, 18, "rdseed"},
        {word_7_ebx, 19, "adx"},
        {word_7_ebx, 21, "avx512ifma"},
        {word_7_ebx, 23, "clflushopt"},
        {word_7_ebx, 24, "clwb"},
        {word_7_ebx, 26, "avx512pf"},
        {word_7_ebx, 27, "avx512er"},
        {word_7_ebx, 28, "avx512cd"},
        {word_7_ebx, 29, "sha"},
        {word_7_ebx, 30, "avx512bw"},
        {word_7_ebx, 31, "avx512vl"},
        {word_7_ecx, 0, "prefetchwt1"},
        {word_7_ecx, 1, "avx512vbmi"},
        {word_7_ecx, 4, "pku"},
        {word_7_ecx, 5, "waitpkg"},
        {word_7_ecx, 6, "avx512vbmi2"},
        {word_7_ecx, 7, "shstk"},
        {word_7_ecx, 8, "gfni"},
        {word_7_ecx, 9, "vaes"},
        {word_7_ecx, 10, "vpclmulqdq"},
        {word_7_ecx, 11, "avx512vnni"},
        {word_7_ecx, 12, "avx512bitalg"},
        {word_7_ecx, 14, "avx512vpopcntdq"},
        {word_7_ecx, 22, "rdpid"},
        {word_7_ecx, 23, "kl"},
        {word_7_ecx, 25, "cldemote"},
        {word_7_ecx, 27, "movdiri"},
        {word_7_ecx, 28, "movdir64b"},
        {word_7_ecx, 29, "enqcmd"},
        {word_7_edx, 2, "avx5124vnniw"},
        {word_7_edx, 3, "avx5124fmaps"},
        {word_7_edx, 4, "fsrm"},
        {word_7_edx, 5, "uintr"},
        {word_7_edx, 8, "avx512vp2intersect"},
        {word_7_edx, 14, "serialize"},
        {word_7_edx, 16, "tsxldtrk"},
        {word_7_edx, 18, "pconfig"},
        {word_7_edx, 20, "ibt"},
        {word_7_edx, 22, "amx-bf16"},
        {word_7_edx, 23, "avx512fp16"},
        {word_7_edx, 24, "amx-tile"},
        {word_7_edx, 25, "amx-int8"},
        {word_7_1_eax, 0, "sha512"},
        {word_7_1_eax, 1, "sm3"},
        {word_7_1_eax, 2, "sm4"},
        {word_7_1_eax, 3, "raoint"},
        {word_7_1_eax, 4, "avxvnni"},
        {word_7_1_eax, 5, "avx512bf16"},
        {word_7_1_eax, 7, "cmpccxadd"},
        {word_7_1_eax, 10, "fzrm"},
        {word_7_1_eax, 11, "fsrs"},
        {word_7_1_eax, 12, "fsrc"},
        {word_7_1_eax, 21, "amx-fp16"},
        {word_7_1_eax, 22, "hreset"},
        {word_7_1_eax, 23, "avxifma"},
        {word_7_1_eax, 31, "movrs"},
        {word_7_1_edx, 4, "avxvnniint8"},
        {word_7_1_edx, 5, "avxneconvert"},
        {word_7_1_edx, 8, "amx-complex"},
        {word_7_1_edx, 10, "avxvnniint16"},
        {word_7_1_edx, 14, "prefetchi"},
        {word_7_1_edx, 15, "usermsr"},
        {word_7_1_edx, 19, "avx10"},
        {word_7_1_edx, 21, "apxf"},
        {word_d_1_eax, 0, "xsaveopt"},
        {word_d_1_eax, 1, "xsavec"},
        {word_d_1_eax, 3, "xsaves"},
        {word_14_ebx, 4, "ptwrite"},
        {word_19_ebx, 0, "aeskle"},
        {word_19_ebx, 2, "widekl"},
        {word_80000001_ecx, 0, "sahf"},
        {word_80000001_ecx, 5, "lzcnt"},
        {word_80000001_ecx, 6, "sse4a"},
        {word_80000001_ecx, 8, "prfchw"},
        {word_80000001_ecx, 11, "xop"},
        {word_80000001_ecx, 15, "lwp"},
        {word_80000001_ecx, 16, "fma4"},
        {word_80000001_ecx, 21, "tbm"},
        {word_80000001_ecx, 29, "mwaitx"},
        {word_80000001_edx, 22, "mmxext"},
        {word_80000001_edx, 29, "64bit"},
        {word_80000001_edx, 30, "3dnowa"},
        {word_80000001_edx, 31, "3dnow"},
        {word_80000008_ebx, 0, "clzero"},
        {word_80000008_ebx, 4, "rdpru"},
        {word_80000008_ebx, 9, "wbnoinvd"},
};

static const char *name_of(unsigned word, unsigned bit)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].word == word && names[i].bit == bit) return names[i].name;
    return NULL;
}

static void add_bits(
        struct processor_list *list, unsigned index, uint32_t value)
{
    static const char *const registers[] = {"eax", "ebx", "ecx", "edx"};
    const struct word *word = &words[index];
    for (unsigned bit = 0; bit < 32; bit++) {
        char number[processor_word_size];
        const char *name = name_of(index, bit);
        if (((value & ~word->system) >> bit & 1) == 0) continue;
        (void)snprintf(number, sizeof number, "%x.%x.%s.%u", word->leaf,
                word->subleaf, registers[word->where], bit);
        processor_list_add(list, name != NULL ? name : number);
    }
}

/* Each leaf is asked for once: under a hypervisor that takes its time. */
struct answers {
    const struct processor_x86 *machine;
    size_t count;
    struct answer {
        uint32_t leaf, subleaf;
        struct processor_words words;
    } all[2 * word_count];
};

static const struct processor_words *ask(
        struct answers *answers, uint32_t leaf, uint32_t subleaf)
{
    const struct processor_x86 *machine = answers->machine;
    size_t i = 0;
    while (i < answers->count
            && (answers->all[i].leaf != leaf
                    || answers->all[i].subleaf != subleaf))
        i++;
    if (i == answers->count) {
        answers->all[i] = (struct answer){
                leaf, subleaf, machine->cpuid(machine->user, leaf, subleaf)};
        answers->count++;
    }
    return &answers->all[i].words;
}

/* A leaf that the processor does not have answers as another does. */
static bool has_leaf(struct answers *answers, const struct word *w)
{
    const uint32_t first = w->leaf & UINT32_C(0x80000000);
    if (ask(answers, first, 0)->eax < w->leaf) return false;
    return w->subleaf == 0 || (w->leaf != 0x7 && w->leaf != 0x1e)
           || ask(answers, w->leaf, 0)->eax >= w->subleaf;
}

static uint32_t word_of(struct answers *answers, const struct word *word)
{
    if (!has_leaf(answers, word)) return 0;
    const struct processor_words *told =
            ask(answers, word->leaf, word->subleaf);
    const uint32_t all[] = {told->eax, told->ebx, told->ecx, told->edx};
    return all[word->where];
}

/* Registers that the system saves: without that their instructions fault, or
 * lose what they made, whatever CPUID says. */
static void add_enabled(struct processor_list *list, struct answers *answers)
{
    static const struct {
        uint64_t bits;
        const char *name;
    } all[] = {{0x6, "os-avx"}, {0xe6, "os-avx512"}, {0x60000, "os-amx"},
            {0x80000, "os-apx"}};
    const uint32_t os_uses_xsave = UINT32_C(1) << 27;
    const struct processor_x86 *machine = answers->machine;
    if ((ask(answers, 1, 0)->ecx & os_uses_xsave) == 0) return;
    const uint64_t enabled = machine->enabled(machine->user);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((enabled & all[i].bits) == all[i].bits)
            processor_list_add(list, all[i].name);
}

/* As Intel and AMD have it; the stepping decides nothing. */
static void write_name(
        struct processor *out, struct processor_words of_0, uint32_t signature)
{
    char vendor[13] = "";
    const uint32_t parts[] = {of_0.ebx, of_0.edx, of_0.ecx};
    uint32_t family = signature >> 8 & 0xf;
    uint32_t model = signature >> 4 & 0xf;
    if (family == 0x6 || family == 0xf) model |= signature >> 12 & 0xf0;
    if (family == 0xf) family += signature >> 20 & 0xff;
    for (int i = 0; i < 12; i++)
        vendor[i] = (char)(parts[i / 4] >> 8 * (i % 4) & 0xff);
    (void)snprintf(
            out->name, sizeof out->name, "%s %u %u", vendor, family, model);
}

bool processor_read_x86(
        struct processor *out, const struct processor_x86 *machine)
{
    struct processor_list list = {.count = 0};
    struct answers answers = {.machine = machine};
    memset(out, 0, sizeof *out);
    const struct processor_words of_0 = *ask(&answers, 0, 0);
    if (of_0.eax == 0) return false;
    write_name(out, of_0, ask(&answers, 1, 0)->eax);
    for (unsigned i = 0; i < word_count; i++)
        add_bits(&list, i, word_of(&answers, &words[i]));
    add_enabled(&list, &answers);
    return processor_list_write(&list, out->features);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * processor.h: what a compiler that compiles for this machine may decide by,
 * and nothing else of it: LLVM's getHostCPUName() and getHostCPUFeatures().
 *
 * Two cores of one machine have the same facts, also where they are of two
 * kinds, and so has the machine after an update of its microcode, and one of
 * another clock, cache size or serial number. docs/how_it_works/identity.md has
 * them.
 */
#ifndef DNNL_CACHE_PLATFORM_PROCESSOR_H
#define DNNL_CACHE_PLATFORM_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for all features and their NUL, and for a name. */
enum { processor_features_size = 4096, processor_name_size = 256 };

/* name: "GenuineIntel 6 207" (vendor, family, model), or on ARM
 * "41-0-d0c" (implementer, variant, part) for each kind of core, in the order
 * of the cores. features: words in ascending order, a blank between two. Both
 * are "" if the system does not tell. */
struct processor {
    char name[processor_name_size];
    char features[processor_features_size];
};

/* Of this machine. False: it is not known what it is. */
bool processor_read(struct processor *out);

/* Cuts the clock (" @ 3.00GHz") out of a processor's name, in place. */
void processor_name_drop_clock(char *name);

/* ---- For tests: of a machine that tells this ----------------------------- */

/* What CPUID answers. */
struct processor_words {
    uint32_t eax, ebx, ecx, edx;
};

/* A processor of x86, as it answers to CPUID and XGETBV. */
struct processor_x86 {
    struct processor_words (*cpuid)(
            void *user, uint32_t leaf, uint32_t subleaf);
    uint64_t (*enabled)(void *user); /* XCR0; not asked without OSXSAVE */
    void *user;
};

bool processor_read_x86(
        struct processor *out, const struct processor_x86 *machine);

/* A processor of ARM: the text of /proc/cpuinfo, and the kernel's words of what
 * is to be used (AT_HWCAP and those that follow). */
bool processor_read_arm(struct processor *out, const char *cpuinfo,
        size_t count, const uint64_t *words);

#endif /* DNNL_CACHE_PLATFORM_PROCESSOR_H */

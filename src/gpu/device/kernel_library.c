/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL 3.1 chooses the library and the processor that it compiles for by one
 * table, and the latter is in the device's version, which is in every ID. The
 * rows here are those of which it was seen: scripts/kernel_libraries.py runs
 * PoCL on emulated processors and looks which library it opens. A device of
 * another name, or of another version of PoCL, has all libraries in its ID.
 */
#include "src/gpu/device/kernel_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char version[] = "PoCL HSTR: pthread-x86_64-pc-linux-gnu-";
static const char prefix[] = "kernel-x86_64-pc-linux-gnu-";
static const char suffix[] = ".bc";

/* scripts/kernel_libraries.py reads this table. */
static const struct row {
    const char *processor; /* the end of the device's version */
    const char *library;
} rows[] = {
        {"athlon64", "sse2"},
        {"core2", "ssse3"},
        {"haswell", "avx2"},
        {"ivybridge", "avx_f16c"},
        {"penryn", "sse41"},
        {"sandybridge", "avx"},
        {"skylake-avx512", "avx512"},
};

/* Variables that name another library, or another folder. */
static const char *const choosing[] = {
        "POCL_BUILDING", "POCL_KERNELLIB_NAME", "POCL_LLVM_CPU_NAME"};

static const struct row *row_of(const char *device_version)
{
    const char *processor = strstr(device_version, version);
    if (processor == NULL) return NULL;
    processor += strlen(version);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].processor, processor) == 0) return &rows[i];
    return NULL;
}

bool kernel_library_of(
        char name[KERNEL_LIBRARY_NAME_SIZE], const struct driver_facts *facts)
{
    const struct row *row = uncounted_parts_are_known(facts)
                                    ? row_of(facts->device_version)
                                    : NULL;
    for (size_t i = 0; i < sizeof choosing / sizeof *choosing; i++)
        if (getenv(choosing[i]) != NULL) row = NULL;
    if (row != NULL)
        (void)snprintf(name, KERNEL_LIBRARY_NAME_SIZE, "%s%s%s", prefix,
                row->library, suffix);
    return row != NULL;
}

const char *kernel_library_uncounted(const char *name, const char *taken)
{
    const size_t size = strlen(name);
    const bool is_library =
            strncmp(name, prefix, strlen(prefix)) == 0 && size > strlen(suffix)
            && strcmp(name + size - strlen(suffix), suffix) == 0;
    return is_library && strcmp(name, taken) != 0 ? "for other processors"
                                                  : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A part is in this table only if no function of it runs while programs are
 * compiled, loaded and executed. The proof of each row:
 * scripts/uncounted_parts.py puts a library of the same name in its place whose
 * functions end the process, compiles the programs of tests/identity with
 * options that change what the compiler does, and compares all binaries with
 * those that the real library gave, byte by byte. A test runs it
 * (uncounted_parts, in the merge tier). docs/how_it_works/identity.md has the
 * reasons for rows that are not here.
 *
 * The rows hold for one version of PoCL, with one version of LLVM, and for its
 * devices that are CPUs: others may use a part for something else.
 */
#include "src/gpu/device/uncounted_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the texts that the driver gives, and names of its objects. */
static const char driver_version[] = "PoCL 3.1+debian ";
static const char compiler_version[] = "LLVM 15.0.6,";
static const char device_version[] = "PoCL HSTR: pthread-";
static const char driver_name[] = "libpocl.so.2";
static const char compiler_name[] = "libLLVM-15.so.1";

static const struct row {
    const char *part;
    const char *why;
} rows[] = {
        {"libbsd.so.0", "used by libedit"},
        {"libedit.so.2", "for input from a terminal"},
        {"libffi.so.8", "for LLVM's interpreter"},
        {"libicudata.so.72", "used by libxml2"},
        {"libicuuc.so.72", "used by libxml2"},
        {"liblzma.so.5", "used by libxml2"},
        {"libmd.so.0", "used by libedit"},
        {"libxml2.so.2", "for manifests of Windows"},
        {"libz.so.1", "for data that PoCL does not compress"},
        {"libz3.so.4", "for clang's static analyzer"},
};

static bool is_linked(const struct loaded_objects *objects, const char *name)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].wanted
                && strcmp(loaded_object_name(&objects->list[i]), name) == 0)
            return true;
    return false;
}

bool uncounted_parts_are_known(const struct driver_facts *facts)
{
    /* Options that are not PoCL's own reach the compiler through the variable,
     * and may ask for what the parts are for. */
    return getenv("POCL_EXTRA_BUILD_FLAGS") == NULL
           && strcmp(loaded_object_name(facts->driver), driver_name) == 0
           && strstr(facts->platform_version, driver_version) != NULL
           && strstr(facts->platform_version, compiler_version) != NULL
           && strstr(facts->device_version, device_version) != NULL
           && is_linked(facts->objects, compiler_name);
}

const char *uncounted_part(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].part, name) == 0) return rows[i].why;
    return NULL;
}

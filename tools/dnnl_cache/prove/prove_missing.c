/* SPDX-License-Identifier: Apache-2.0 */
/* What an ID names, for who looks for what it lacks. */
#include "tools/dnnl_cache/prove/prove.h"

#include "src/platform/environment.h"
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How names of variables begin that drivers and their compilers read. */
static const char *const families[] = {"POCL_", "LLVM_", "MESA_", "GALLIUM_",
        "GALLIVM_", "LP_", "RUSTICL_", "CLC_", "OCLGRIND_", "CUDA_", "NV_",
        "IGC_", "NEO_", "CL_CONFIG_", "AMD_", "HSA_", "ROC_", "CPATH",
        "C_INCLUDE_PATH"};

/* Those that say where files are, or what is printed; tests of the driver's
 * code with them in IDs are in docs/how_it_works/identity.md. */
static const char *const harmless[] = {
        "POCL_CACHE_DIR", "POCL_KERNEL_CACHE", "POCL_DEBUG", "RUSTICL_ENABLE"};

static bool is_of(
        const char *name, const char *const *list, size_t count, bool is_prefix)
{
    for (size_t i = 0; i < count; i++) {
        const size_t size = strlen(list[i]);
        if (strncmp(name, list[i], size) == 0
                && (is_prefix || name[size] == '='))
            return true;
    }
    return false;
}

static bool is_suspect(const char *variable, size_t id_size, const uint8_t *id)
{
    const size_t name_size = strcspn(variable, "=");
    return is_of(variable, families, sizeof families / sizeof *families, true)
           && !is_of(variable, harmless, sizeof harmless / sizeof *harmless,
                   false)
           && !refresh_id_has_variable(
                   id_size, id, (const uint8_t *)variable, name_size);
}

struct text {
    char bytes[1024];
    size_t size;
};

static void add(struct text *text, const char *value, size_t size)
{
    const int n =
            snprintf(text->bytes + text->size, sizeof text->bytes - text->size,
                    "%s%.*s", text->size > 0 ? ", " : "", (int)size, value);
    if (n > 0 && (size_t)n < sizeof text->bytes - text->size)
        text->size += (size_t)n;
    else
        text->bytes[text->size] = '\0'; /* what has no room is left out */
}

static void add_fields(
        struct text *text, size_t id_size, const uint8_t *id, const char *name)
{
    dnnl_cache_id_field_t field;
    size_t at = 0;
    while (refresh_id_find(&field, &at, id_size, id, name)) {
        char *shown = fields_show(&field);
        if (shown != NULL) add(text, shown, strlen(shown));
        free(shown);
    }
}

void prove_tell_missing(struct tool *tool, size_t id_size, const uint8_t *id)
{
    struct text driver = {.size = 0};
    struct text named = {.size = 0};
    struct text options = {.size = 0};
    struct text processor = {.size = 0};
    struct text set = {.size = 0};
    add_fields(&driver, id_size, id, "driver_version");
    add_fields(&driver, id_size, id, "driver_build");
    add_fields(&named, id_size, id, REFRESH_ENVIRONMENT);
    add_fields(&options, id_size, id, REFRESH_OPTIONS);
    add_fields(&processor, id_size, id, "processor");
    for (char **v = environment_all(); v != NULL && *v != NULL; v++)
        if (is_suspect(*v, id_size, id)) add(&set, *v, strcspn(*v, "="));
    tool_error(tool,
            "its ID has the driver %s; options \"%s\"; the environment %s; "
            "the processor %s%s%s",
            driver.bytes[0] != '\0' ? driver.bytes : "-", options.bytes,
            named.bytes[0] != '\0' ? named.bytes : "-",
            processor.bytes[0] != '\0' ? processor.bytes : "-",
            set.bytes[0] != '\0' ? "; set here, and in no ID: " : "",
            set.bytes);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/environment.h"

#include "dnnl_cache.h"
#include "dnnl_cache/sys/layer.h"
#include "src/common/buffer.h"
#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/includes/build_options.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Variables that change what a driver's compiler makes and that show in no
 * string the driver reports. docs/how_it_works/identity.md says where each is
 * read. */
static const char *const environment[] = {
        "AMD_OCL_BUILD_OPTIONS",
        "AMD_OCL_BUILD_OPTIONS_APPEND",
        "AMD_OCL_LINK_OPTIONS",
        "AMD_OCL_LINK_OPTIONS_APPEND",
        "CL_CONFIG_CHANNEL_DEPTH_EMULATION_MODE",
        "CL_CONFIG_CPU_EXPENSIVE_MEM_OPT",
        "CL_CONFIG_CPU_FORCE_LOCAL_MEM_SIZE",
        "CL_CONFIG_CPU_FORCE_MAX_WORK_GROUP_SIZE",
        "CL_CONFIG_CPU_FORCE_WORK_GROUP_SIZE",
        "CL_CONFIG_CPU_O0_VECTORIZATION",
        "CL_CONFIG_CPU_REQD_SUB_GROUP_SIZE",
        "CL_CONFIG_CPU_RT_LOOP_UNROLL_FACTOR",
        "CL_CONFIG_CPU_STREAMING_ALWAYS",
        "CL_CONFIG_CPU_SUB_GROUP_CONSTRUCTION",
        "CL_CONFIG_CPU_TARGET_ARCH",
        "CL_CONFIG_CPU_VECTORIZER_MODE",
        "CL_CONFIG_LLVM_OPTIONS",
        "CL_CONFIG_LTO_PM",
        "CL_CONFIG_REPLACE_IR_AFTER_OPTIMIZER",
        "CL_CONFIG_REPLACE_IR_BEFORE_OPTIMIZER",
        "CL_CONFIG_USE_FAST_RELAXED_MATH",
        "CL_CONFIG_USE_TRAPPING",
        "CL_CONFIG_USE_VECTORIZER",
        "CL_CONFIG_USE_VTUNE",
        "CUDA_DISABLE_PTX_JIT",
        "CUDA_FORCE_C_COMPILE",
        "CUDA_FORCE_JIT",
        "CUDA_FORCE_PTX_JIT",
        "DISABLE_INFER_AS",
        "GALLIUM_NOSSE",
        "GALLIUM_OVERRIDE_CPU_CAPS",
        "GALLIVM_DEBUG",
        "GALLIVM_PERF",
        "GNUTARGET",
        "ICX_S2O",
        "IGC_ExtraOCLInternalOptions",
        "IGC_ExtraOCLOptions",
        "IGC_ForceOCLSIMDWidth",
        "LDEMULATION",
        "LD_RUN_PATH",
        "LLVM_OVERRIDE_PRODUCER",
        "LP_CL",
        "LP_DEBUG",
        "LP_NATIVE_VECTOR_WIDTH",
        "LP_PERF",
        "MESA_SPIRV_FORCE_UNSTRUCTURED",
        "NIR_DEBUG",
        "NO_OVERRIDE_CLANG_VERSION",
        "OCLBACKEND_PLUGINS",
        "OCLGRIND_BUILD_OPTIONS",
        "OCLGRIND_DISABLE_PCH",
        "OCLGRIND_PCH_DIR",
        "OPENCL_PROGRAM_COMPILE_OPTIONS",
        "POCL_BBVECTORIZE",
        "POCL_BINARY_SPECIALIZE_WG",
        "POCL_BITCODE_FINALIZER",
        "POCL_BUILDING",
        "POCL_CPU_LOCAL_MEM_SIZE",
        "POCL_EXTRA_BUILD_FLAGS",
        "POCL_FORCE_PARALLEL_OUTER_LOOP",
        "POCL_FULL_REPLICATION_THRESHOLD",
        "POCL_IGNORE_CL_STD",
        "POCL_KERNELLIB_NAME",
        "POCL_KERNEL_COMPILER_OPT_SWITCH",
        "POCL_LLVM_ALWAYS_INLINE",
        "POCL_LLVM_CPU_NAME",
        "POCL_LLVM_MOVE_NONKERNELS",
        "POCL_LLVM_VERIFY",
        "POCL_MAX_WORK_GROUP_SIZE",
        "POCL_PREGION_VALUE_REMAT",
        "POCL_VECTORIZER_FORCE_VECTOR_WIDTH",
        "POCL_VECTORIZER_PREFER_VECTOR_WIDTH",
        "POCL_WILOOPS_MAX_UNROLL_COUNT",
        "POCL_WORK_GROUP_METHOD",
        "POCL_WORK_GROUP_SPECIALIZATION",
        "RUSTICL_FEATURES",
        "SOURCE_DATE_EPOCH",
};

/* Variables whose names begin so: those that are set are in IDs like the
 * above. The arguments are read for what they include, too. */
static const char arguments_family[] = "POCL_ARGS_";
static const char *const families[] = {
        "NVCL_", "NVVM", arguments_family, "POCL_PATH_"};

/* Variables that are in no ID, and decide where a driver looks for files, where
 * PoCL unpacks binaries, and whether it keeps them there. */
static const char *const places[] = {"CPATH", "CPLUS_INCLUDE_PATH",
        "C_INCLUDE_PATH", "HOME", "INCLUDE", "OBJCPLUS_INCLUDE_PATH",
        "OBJC_INCLUDE_PATH", "POCL_CACHE_DIR", "POCL_KERNEL_CACHE", "TMPDIR",
        "XDG_CACHE_HOME"};

/* Variables that are in no ID, and decide which programs a driver starts and
 * which libraries these take. What is found is in the ID
 * (linker_files.c, program_files.c); they are watched only for drivers that
 * start programs. */
static const char *const tools[] = {
        "COMPILER_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "PATH"};

/* Those of the first list that are build options, appended to what a program
 * gives. */
static const char *const option_variables[] = {"AMD_OCL_BUILD_OPTIONS",
        "AMD_OCL_BUILD_OPTIONS_APPEND", "AMD_OCL_LINK_OPTIONS",
        "AMD_OCL_LINK_OPTIONS_APPEND", "IGC_ExtraOCLInternalOptions",
        "IGC_ExtraOCLOptions", "OCLGRIND_BUILD_OPTIONS",
        "OPENCL_PROGRAM_COMPILE_OPTIONS", "POCL_EXTRA_BUILD_FLAGS"};

enum {
    id_count = sizeof environment / sizeof *environment,
    place_count = sizeof places / sizeof *places,
    tools_at = id_count + place_count,
    count = tools_at + sizeof tools / sizeof *tools,
    family_count = sizeof families / sizeof *families
};

static const char *name_of(size_t i)
{
    if (i < id_count) return environment[i];
    return i < tools_at ? places[i - id_count] : tools[i - tools_at];
}

/* ---- One look at all of them --------------------------------------------- */

enum { beginning_count = 4096, most_places = count + 32 };

/* Our variables and families by how their names begin: most of a process's
 * variables need not be compared with any. The first variable of each beginning
 * and, by variable, the next one of the same; both plus one, 0 ends. Fixed by
 * start(). */
static uint8_t first_of[beginning_count];
static uint8_t next_of[count];
static bool families_begin[beginning_count];
_Static_assert(count < UINT8_MAX, "a variable's index plus one is a byte");

/* Of a text of two characters at least. */
static unsigned beginning_of(const char *text)
{
    return ((unsigned char)text[0] * 961u + (unsigned char)text[1] * 31u
                   + (unsigned char)text[2])
           % beginning_count;
}

/* The value in NAME=value if that is the name; else NULL. */
static const char *value_in(const char *entry, const char *name)
{
    while (*name != '\0' && *entry == *name) {
        entry++;
        name++;
    }
    return *name == '\0' && *entry == '=' ? entry + 1 : NULL;
}

/* The entries of a family: in any order, they have the same sum. */
struct family_view {
    size_t size; /* number of entries */
    uint64_t sum;
};

/* What one walk over the environment found. */
struct view {
    const char *values[count]; /* NULL: not set */
    size_t size;               /* entries of the environment */
    struct family_view families[family_count];
    /* Where our variables are; more than there is room for are counted. */
    size_t places[most_places];
    size_t place_count;
};

static void note_place(struct view *view, size_t place)
{
    if (view->place_count < most_places)
        view->places[view->place_count] = place;
    view->place_count++;
}

/* The family of an entry; family_count: none. */
static size_t family_of(const char *entry)
{
    size_t i = 0;
    while (i < family_count
            && strncmp(entry, families[i], strlen(families[i])) != 0)
        i++;
    return i;
}

static void look_at_family(struct view *view, size_t place)
{
    const size_t i = family_of(environ[place]);
    if (i == family_count) return;
    view->families[i].size++;
    view->families[i].sum += hash64(environ[place], strlen(environ[place]));
    note_place(view, place);
}

/* One walk, and not a getenv() for each: no other thread may change the
 * environment meanwhile (docs/how_it_works/threading.md), and the time in which
 * that would do harm is short. */
static void look(struct view *view)
{
    memset(view, 0, sizeof *view);
    for (; environ != NULL && environ[view->size] != NULL; view->size++) {
        const char *text = environ[view->size];
        if (text[0] == '\0' || text[1] == '\0') continue;
        const unsigned beginning = beginning_of(text);
        if (families_begin[beginning]) look_at_family(view, view->size);
        for (size_t next = first_of[beginning]; next != 0;
                next = next_of[next - 1]) {
            const size_t i = next - 1;
            const char *value = value_in(text, name_of(i));
            if (value == NULL) continue;
            /* Of two the first one counts, as for getenv(). */
            if (view->values[i] == NULL) {
                view->values[i] = value;
                note_place(view, view->size);
            }
            break;
        }
    }
}

/* ---- As it was at the start ---------------------------------------------- */

/* What is left of a value: no memory is needed, so none can be missing. */
struct trace {
    bool is_set;
    size_t size;
    uint64_t hash;
};

/* Fixed by start(). */
static struct trace first[count];
static struct family_view first_families[family_count];

static atomic_bool tools_are_watched;

static pthread_once_t started = PTHREAD_ONCE_INIT;

static struct trace trace_of(const char *value)
{
    struct trace trace = {false, 0, 0};
    if (value == NULL) return trace;
    trace.is_set = true;
    trace.size = strlen(value);
    trace.hash = hash64(value, trace.size);
    return trace;
}

static bool is_as_at_start(size_t i, const char *value)
{
    if (value == NULL) return !first[i].is_set;
    const struct trace now = trace_of(value);
    return now.is_set == first[i].is_set && now.size == first[i].size
           && now.hash == first[i].hash;
}

static void start(void)
{
    struct view view;
    for (size_t i = 0; i < count; i++) {
        uint8_t *head = &first_of[beginning_of(name_of(i))];
        next_of[i] = *head;
        *head = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < family_count; i++)
        families_begin[beginning_of(families[i])] = true;
    look(&view);
    for (size_t i = 0; i < count; i++)
        first[i] = trace_of(view.values[i]);
    memcpy(first_families, view.families, sizeof first_families);
}

void environment_start(void)
{
    pthread_once(&started, start);
}

void environment_watch_tools(void)
{
    environment_start();
    atomic_store(&tools_are_watched, true);
}

/* ---- A glance: whether another look is needed ---------------------------- */

/* Where the last look that found no change saw our variables, and the end.
 * setenv() and putenv() change the pointer of an entry or append one,
 * unsetenv() moves those that follow: each shows at these places. Atomic,
 * since threads may look at once: they store the same. */
static struct {
    _Atomic(char **) entries; /* NULL before the first look */
    atomic_size_t size;
    _Atomic(const char *) last;
    atomic_size_t variables;
    struct {
        atomic_size_t place;
        _Atomic(const char *) entry;
    } of_ours[most_places];
} seen;

#define STORE(to, what) \
    atomic_store_explicit(&seen.to, (what), memory_order_relaxed)
#define SEEN(what) atomic_load_explicit(&seen.what, memory_order_relaxed)

static void note_unchanged(const struct view *view)
{
    if (view->size == 0 || view->place_count > most_places) return;
    for (size_t i = 0; i < view->place_count; i++) {
        STORE(of_ours[i].place, view->places[i]);
        STORE(of_ours[i].entry, environ[view->places[i]]);
    }
    STORE(variables, view->place_count);
    STORE(last, environ[view->size - 1]);
    STORE(size, view->size);
    /* Last: who sees these entries sees their number. */
    atomic_store_explicit(&seen.entries, environ, memory_order_release);
}

static bool looks_unchanged(void)
{
    char **const entries =
            atomic_load_explicit(&seen.entries, memory_order_acquire);
    const size_t size = SEEN(size);
    if (entries == NULL || entries != environ || entries[size] != NULL
            || entries[size - 1] != SEEN(last))
        return false;
    const size_t variables = SEEN(variables);
    for (size_t i = 0; i < variables; i++)
        if (entries[SEEN(of_ours[i].place)] != SEEN(of_ours[i].entry))
            return false;
    return true;
}

#undef STORE
#undef SEEN

/* ---- Whether it is so still ---------------------------------------------- */

static _Atomic(const char *) changed; /* NULL: none; then fixed */

static const char *find_change(const struct view *view)
{
    const size_t watched = atomic_load(&tools_are_watched) ? count : tools_at;
    for (size_t i = 0; i < watched; i++)
        if (!is_as_at_start(i, view->values[i])) return name_of(i);
    for (size_t i = 0; i < family_count; i++)
        if (view->families[i].size != first_families[i].size
                || view->families[i].sum != first_families[i].sum)
            return families[i];
    return NULL;
}

const char *environment_changed(void)
{
    struct view view;
    environment_start();
    const char *known = atomic_load(&changed);
    if (known != NULL) return known;
    look(&view);
    const char *name = find_change(&view);
    if (name == NULL) {
        note_unchanged(&view);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&changed, &known, name)) return known;
    log_message(dnnl_cache_log_warning, "identity", "%s", environment_doubt());
    return name;
}

const char *environment_changed_at_a_glance(void)
{
    const char *known = atomic_load_explicit(&changed, memory_order_relaxed);
    if (known != NULL) return known;
    return looks_unchanged() ? NULL : environment_changed();
}

static char doubt[240];
static pthread_once_t doubted = PTHREAD_ONCE_INIT;

static void write_doubt(void)
{
    snprintf(doubt, sizeof doubt,
            "the environment variable %s was changed after OpenCL had started: "
            "which value the driver uses is not known; set it before the first "
            "OpenCL call",
            atomic_load(&changed));
}

const char *environment_doubt(void)
{
    if (environment_changed() == NULL) return "";
    pthread_once(&doubted, write_doubt);
    return doubt;
}

/* ---- What they hold ------------------------------------------------------ */

static int compare_entries(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The families' entries, in the order of their names. */
static dnnl_status_t put_families(struct id_builder *id, size_t size)
{
    size_t n = 0;
    const char **entries = calloc(size + 1, sizeof *entries);
    if (entries == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < size; i++)
        if (family_of(environ[i]) < family_count) entries[n++] = environ[i];
    qsort(entries, n, sizeof *entries, compare_entries);
    for (size_t i = 0; i < n; i++)
        id_put(id, id_driver_environment, entries[i], strlen(entries[i]));
    free(entries);
    return dnnl_success;
}

dnnl_status_t environment_put_id(struct id_builder *id)
{
    struct view view;
    environment_start();
    look(&view);
    for (size_t i = 0; i < id_count; i++) {
        const char *value = view.values[i];
        struct buffer text;
        if (value == NULL) continue;
        buffer_init(&text);
        buffer_append(&text, environment[i], strlen(environment[i]));
        buffer_append(&text, "=", 1);
        buffer_append(&text, value, strlen(value));
        const dnnl_status_t st = buffer_status(&text);
        if (st == dnnl_success)
            id_put(id, id_driver_environment, text.data, text.size);
        buffer_fini(&text);
        if (st != dnnl_success) return st;
    }
    const dnnl_status_t st = put_families(id, view.size);
    if (st != dnnl_success) return st;
    return environment_changed() == NULL ? dnnl_success : dnnl_runtime_error;
}

/* PoCL's arguments for its compiler, each behind a semicolon. What only looks
 * like options, or is too long to look at, may read files as well. */
static const char *arguments_that_read_files(void)
{
    char options[4096];
    for (size_t i = 0; environ != NULL && environ[i] != NULL; i++) {
        if (strncmp(environ[i], arguments_family, strlen(arguments_family))
                != 0)
            continue;
        const char *value = strchr(environ[i], '=');
        const size_t size = value != NULL ? strlen(++value) : 0;
        if (size >= sizeof options) return arguments_family;
        for (size_t j = 0; j < size; j++)
            options[j] = value[j] == ';' ? ' ' : value[j];
        options[size] = '\0';
        if (options_include_files(options) || options_make_strings(options))
            return arguments_family;
    }
    return NULL;
}

const char *environment_variable_that_reads_files(void)
{
    const size_t size = sizeof option_variables / sizeof *option_variables;
    for (size_t i = 0; i < size; i++) {
        const char *value = getenv(option_variables[i]);
        if (value != NULL
                && (options_include_files(value)
                        || options_make_strings(value)))
            return option_variables[i];
    }
    return arguments_that_read_files();
}

bool environment_adds_options(void)
{
    const size_t size = sizeof option_variables / sizeof *option_variables;
    for (size_t i = 0; i < size; i++) {
        const char *value = getenv(option_variables[i]);
        if (value != NULL && value[0] != '\0') return true;
    }
    for (size_t i = 0; environ != NULL && environ[i] != NULL; i++)
        if (strncmp(environ[i], arguments_family, strlen(arguments_family))
                == 0)
            return true;
    return false;
}

/* ---- For the layer ------------------------------------------------------- */

dnnl_status_t dnnl_cache_find_changed_variable(const char **name)
{
    if (name == NULL) return dnnl_invalid_arguments;
    *name = environment_changed();
    return dnnl_success;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"

#include "driver/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In every ID: the layer's entries carry facts that others' have not. */
static const char layer_key[] = "OpenCL layer, facts 1";

static bool doubt_with(struct identity_doubt *doubt, enum layer_reason reason,
        const char *detail)
{
    doubt->reason = reason;
    snprintf(doubt->detail, sizeof doubt->detail, "%s", detail);
    return false;
}

static bool status_doubt(struct identity_doubt *doubt, dnnl_status_t st)
{
    return st == dnnl_success
           || doubt_with(doubt,
                   st == dnnl_out_of_memory ? layer_reason_failed
                                            : layer_reason_identity,
                   "");
}

/* A variable whose value is not what it was when OpenCL started decides about
 * IDs, about folders, or about both. */
static bool environment_is_doubtful(struct identity_doubt *doubt)
{
    const char *name = identity_changed_variable();
    if (name == NULL) return false;
    doubt_with(doubt, layer_reason_environment, name);
    return true;
}

const char *identity_changed_variable(void)
{
    const char *name = NULL;
    (void)dnnl_cache_find_changed_variable(&name);
    return name;
}

/* Whose compiler makes the build. */
static struct include_driver driver_of(const struct build *build)
{
    struct include_driver driver = {.is_cpu = build->count > 0};
    cl_platform_id platform = NULL;
    for (size_t i = 0; i < build->count; i++) {
        const cl_device_id device = build->devices[i].device;
        cl_device_type type = 0;
        if (target->clGetDeviceInfo(
                    device, CL_DEVICE_TYPE, sizeof type, &type, NULL)
                        != CL_SUCCESS
                || (type & CL_DEVICE_TYPE_CPU) == 0)
            driver.is_cpu = false;
        /* All devices of a context are one platform's. */
        if (i == 0
                && (target->clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
                            sizeof platform, &platform, NULL)
                                != CL_SUCCESS
                        || target->clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                                   sizeof driver.platform, driver.platform,
                                   NULL)
                                   != CL_SUCCESS))
            driver.platform[0] = '\0';
    }
    return driver;
}

/* watch NULL: nothing is watched. */
static bool follow_includes(struct includes *includes,
        struct include_watch **watch, const struct include_driver *driver,
        const struct layer_program *program, const char *options)
{
    const char *source = program->input.source;
    size_t size = program->input.source_size;
    if (source == NULL) size = 0;
    if (size == 0) source = "";
    const size_t *lengths = size > 0 ? &size : NULL;
    return watch != NULL ? includes_follow_and_watch(
                   includes, watch, driver, 1, &source, lengths, options)
                         : includes_follow_for(includes, driver, 1, &source,
                                 lengths, options);
}

bool identity_watch_includes(const struct layer_program *program,
        const char *options, const struct includes *includes,
        struct include_watch **watch)
{
    struct includes now;
    *watch = NULL;
    if (includes->places == 0) return true;
    (void)follow_includes(&now, watch, &includes->driver, program, options);
    return *watch != NULL;
}

bool identity_includes_unchanged(const struct layer_program *program,
        const char *options, const struct includes *includes,
        struct include_watch *watch)
{
    struct includes now;
    if (includes->places == 0) return true;
    /* Looked at first, so that nothing happens between the two. */
    const bool is_same =
            follow_includes(&now, NULL, &includes->driver, program, options)
            && memcmp(now.digest, includes->digest, sizeof now.digest) == 0
            && memcmp(now.stamp, includes->stamp, sizeof now.stamp) == 0;
    return include_watch_end(watch) && is_same;
}

/* ---- One device ---------------------------------------------------------- */

/* What an ID is made of; one or the other is set. */
struct ingredients {
    enum build_kind kind;
    cl_context context;
    const char *options;
    /* Of source or IL. */
    const struct layer_program *program;
    const struct includes *includes;
    /* Of a link. */
    size_t input_count;
    struct build *const *inputs;
};

static dnnl_status_t describe_source(
        struct built_device *d, const struct ingredients *what)
{
    const struct layer_program *program = what->program;
    const struct includes *includes = what->includes;
    const char *options = what->options;
    const struct program_input *input = &program->input;
    const char *source = input->source != NULL ? input->source : "";
    const size_t *size = input->source_size > 0 ? &input->source_size : NULL;
    dnnl_status_t st =
            input->il != NULL ? dnnl_cache_program_desc_create_with_il(
                    &d->desc, d->engine, input->il_size, input->il, options)
                              : dnnl_cache_program_desc_create(&d->desc,
                                      d->engine, 1, &source, size, options);
    for (size_t i = 0; i < program->constant_count && st == dnnl_success; i++) {
        const struct spec_constant *c = &program->constants[i];
        st = dnnl_cache_program_desc_set_spec_constant(
                d->desc, c->id, c->size, c->value);
    }
    if (st == dnnl_success && includes->count > 0)
        st = dnnl_cache_program_desc_add_key(
                d->desc, sizeof includes->digest, includes->digest);
    return st;
}

/* A program of which no more is known than what was linked to it. */
static dnnl_status_t describe_link(
        struct built_device *d, const struct ingredients *what)
{
    const char *source = "";
    dnnl_status_t st = dnnl_cache_program_desc_create(
            &d->desc, d->engine, 1, &source, NULL, what->options);
    for (size_t i = 0; i < what->input_count && st == dnnl_success; i++) {
        const struct built_device *input =
                build_device(what->inputs[i], d->device);
        st = input != NULL ? dnnl_cache_program_desc_add_key(
                     d->desc, input->id_size, input->id)
                           : dnnl_invalid_arguments;
    }
    return st;
}

static dnnl_status_t describe(
        struct built_device *d, const struct ingredients *what)
{
    static const char *const kinds[] = {[build_executable] = NULL,
            [build_object] = "compiled",
            [build_linked] = "linked"};
    const char *kind = kinds[what->kind];
    dnnl_status_t st = what->kind == build_linked ? describe_link(d, what)
                                                  : describe_source(d, what);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_set_includes_known(d->desc);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_add_key(
                d->desc, sizeof layer_key - 1, layer_key);
    if (st == dnnl_success && kind != NULL)
        st = dnnl_cache_program_desc_add_key(d->desc, strlen(kind), kind);
    return st;
}

/* Copies an ID that get writes; *id stays NULL if it is empty. */
static dnnl_status_t copy_id(
        dnnl_status_t (*get)(const void *of, size_t *size, uint8_t *id),
        const void *of, size_t *size, uint8_t **id)
{
    size_t n = 0;
    dnnl_status_t st = get(of, &n, NULL);
    if (st != dnnl_success || n == 0) return st;
    uint8_t *bytes = malloc(n);
    if (bytes == NULL) return dnnl_out_of_memory;
    st = get(of, &n, bytes);
    if (st != dnnl_success) {
        free(bytes);
        return st;
    }
    *id = bytes;
    *size = n;
    return dnnl_success;
}

static dnnl_status_t program_id(const void *of, size_t *size, uint8_t *id)
{
    return dnnl_cache_program_desc_get_cache_blob_id(of, size, id);
}

static dnnl_status_t device_id(const void *of, size_t *size, uint8_t *id)
{
    const cl_device_id *device = of;
    return dnnl_ocl_interop_engine_get_cache_blob_id(*device, size, id);
}

static bool identify_device(struct built_device *d,
        const struct ingredients *what, struct identity_doubt *doubt)
{
    const char *why = "";
    int is_cacheable = 0;
    dnnl_status_t st = dnnl_ocl_interop_engine_create(
            &d->engine, d->device, what->context);
    if (st == dnnl_success) st = describe(d, what);
    if (st == dnnl_success)
        st = dnnl_cache_program_desc_is_cacheable(d->desc, &is_cacheable, &why);
    if (!status_doubt(doubt, st)) return false;
    if (!is_cacheable) return doubt_with(doubt, layer_reason_identity, why);
    st = copy_id(program_id, d->desc, &d->id_size, &d->id);
    if (st == dnnl_success)
        st = copy_id(device_id, &d->device, &d->engine_id_size, &d->engine_id);
    if (!status_doubt(doubt, st)) return false;
    return (d->id != NULL && d->engine_id != NULL)
           || doubt_with(doubt, layer_reason_identity, "no ID");
}

static bool identify_devices(struct build *build,
        const struct ingredients *what, struct identity_doubt *doubt)
{
    for (size_t i = 0; i < build->count; i++)
        if (!identify_device(&build->devices[i], what, doubt)) return false;
    return true;
}

bool identify_build(struct build *build, const struct layer_program *program,
        const char *options, struct includes *includes,
        struct identity_doubt *doubt)
{
    const struct include_driver driver = driver_of(build);
    if (environment_is_doubtful(doubt)) return false;
    if (!follow_includes(includes, NULL, &driver, program, options))
        return doubt_with(doubt,
                includes->is_options ? layer_reason_options
                                     : layer_reason_includes,
                includes->reason);
    return identify_devices(build,
            &(struct ingredients){.kind = build->kind,
                    .context = program->context,
                    .options = options,
                    .program = program,
                    .includes = includes},
            doubt);
}

/* What a linker reads by its options is in no ID. */
static bool check_link_options(
        const struct build *build, struct identity_doubt *doubt)
{
    const struct include_driver driver = driver_of(build);
    struct include_places places;
    int reads_files = 1;
    dnnl_status_t st = dnnl_out_of_memory;
    if (include_places_init(&places, &driver, build->options))
        st = dnnl_cache_options_read_files(places.options, &reads_files);
    include_places_fini(&places);
    if (!status_doubt(doubt, st)) return false;
    return !reads_files
           || doubt_with(doubt, layer_reason_options,
                   "the options are not known to read no file");
}

bool identify_link(struct build *build, cl_context context, size_t count,
        struct build *const *inputs, struct identity_doubt *doubt)
{
    if (environment_is_doubtful(doubt) || !check_link_options(build, doubt))
        return false;
    return identify_devices(build,
            &(struct ingredients){.kind = build->kind,
                    .context = context,
                    .options = build->options,
                    .input_count = count,
                    .inputs = inputs},
            doubt);
}

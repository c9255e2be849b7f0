/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: made of source, IL or binaries, asked about. */
#include "fake_binary.h"
#include "fake_ptx.h"

#include <stdlib.h>
#include <string.h>

#define SPIRV_MAGIC_SIZE 4

typedef void(CL_CALLBACK program_callback)(cl_program, void *);

static void program_notify(const struct notice *notice)
{
    ((program_callback *)notice->function)(
            (cl_program)notice->handle, notice->user);
}

void build_fini(struct build *build)
{
    kernel_list_fini(&build->kernels);
    kernel_list_fini(&build->before);
    free(build->options);
    free(build->log);
    free(build->binary);
    memset(build, 0, sizeof(*build));
    build->status = CL_BUILD_NONE;
}

static void program_destroy(struct object *object)
{
    cl_program program = (cl_program)object;
    struct notice *notice;

    while ((notice = program->destructors) != NULL) {
        program->destructors = notice->next;
        notice_post(notice, object, CL_SUCCESS);
    }
    for (cl_uint i = 0; i < program->ndevices; i++) {
        build_fini(&program->builds[i]);
        object_drop(program->devices[i]);
    }
    free(program->builds);
    free(program->devices);
    free(program->source);
    free(program->il);
    free(program->constants);
    object_drop(program->context);
}

cl_int program_create(cl_program *program, cl_context context,
        enum program_origin origin, cl_uint n, const cl_device_id *devices)
{
    cl_program made;
    cl_int st = object_create(
            &made, sizeof(*made), OBJECT_PROGRAM, program_destroy);

    if (st != CL_SUCCESS) return st;
    made->context = context;
    object_hold(context);
    made->origin = origin;
    made->compiles = origin == PROGRAM_SOURCE || origin == PROGRAM_IL;
    made->is_of_binary = origin == PROGRAM_BINARY;
    made->devices = calloc(n, sizeof(cl_device_id));
    made->builds = calloc(n, sizeof(struct build));
    if (made->devices == NULL || made->builds == NULL) {
        object_disown(made);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; i < n; i++) {
        made->builds[i].status = CL_BUILD_NONE;
        object_hold(devices[i]);
        if (i < sizeof(made->order) / sizeof(made->order[0]))
            made->order[i] = i;
        made->devices[made->ndevices++] = devices[i];
    }
    *program = made;
    return CL_SUCCESS;
}

/* ---- source ---- */

static cl_int sources_join(
        char **source, cl_uint n, const char **strings, const size_t *lengths)
{
    size_t size = 1;
    char *joined, *to;

    if (n == 0 || strings == NULL) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        if (strings[i] == NULL) return CL_INVALID_VALUE;
        size += lengths != NULL && lengths[i] != 0 ? lengths[i]
                                                   : strlen(strings[i]);
    }
    joined = to = malloc(size);
    if (joined == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < n; i++) {
        size_t length = lengths != NULL && lengths[i] != 0 ? lengths[i]
                                                           : strlen(strings[i]);

        memcpy(to, strings[i], length);
        to += length;
    }
    *to = '\0';
    *source = joined;
    return CL_SUCCESS;
}

cl_program CL_API_CALL fake_clCreateProgramWithSource(cl_context context,
        cl_uint n, const char **strings, const size_t *lengths, cl_int *errcode)
{
    cl_program program = NULL;
    char *source = NULL;
    cl_int st = call_enter(CALL_clCreateProgramWithSource, "strings=%u", n);

    if (st == CL_SUCCESS) st = object_check(context, OBJECT_CONTEXT);
    if (st == CL_SUCCESS) st = sources_join(&source, n, strings, lengths);
    if (st == CL_SUCCESS)
        st = program_create(&program, context, PROGRAM_SOURCE,
                context->ndevices, context->devices);
    if (st == CL_SUCCESS)
        program->source = source;
    else
        free(source);
    call_leave_with(CALL_clCreateProgramWithSource, st, errcode);
    return program;
}

/* ---- IL ---- */

static cl_int il_check(cl_context context, const void *il, size_t size)
{
    static const uint8_t magic[SPIRV_MAGIC_SIZE] = {0x03, 0x02, 0x23, 0x07};

    for (cl_uint i = 0; i < context->ndevices; i++)
        if (setting("IL_VERSION", context->devices[i]->index)[0] == '\0')
            return CL_INVALID_OPERATION;
    if (il == NULL || size < sizeof(magic)
            || memcmp(il, magic, sizeof(magic)) != 0)
        return CL_INVALID_VALUE;
    return CL_SUCCESS;
}

static cl_int il_program_create(
        cl_program *program, cl_context context, const void *il, size_t size)
{
    uint8_t *copy;
    cl_int st = object_check(context, OBJECT_CONTEXT);

    if (st == CL_SUCCESS) st = il_check(context, il, size);
    if (st != CL_SUCCESS) return st;
    /* A NUL behind it: what follows the magic number is read as text. */
    copy = calloc(1, size + 1);
    if (copy == NULL) return CL_OUT_OF_HOST_MEMORY;
    memcpy(copy, il, size);
    st = program_create(
            program, context, PROGRAM_IL, context->ndevices, context->devices);
    if (st != CL_SUCCESS) {
        free(copy);
        return st;
    }
    (*program)->il = copy;
    (*program)->il_size = size;
    return CL_SUCCESS;
}

cl_program CL_API_CALL fake_clCreateProgramWithIL(
        cl_context context, const void *il, size_t size, cl_int *errcode)
{
    cl_program program = NULL;
    cl_int st = call_enter(CALL_clCreateProgramWithIL, "size=%zu", size);

    if (st == CL_SUCCESS) st = il_program_create(&program, context, il, size);
    call_leave_with(CALL_clCreateProgramWithIL, st, errcode);
    return program;
}

static cl_int constant_set(
        cl_program program, cl_uint id, size_t size, const void *value)
{
    struct spec_constant *grown, *at;
    size_t i = 0, n;
    cl_int st = object_check(program, OBJECT_PROGRAM);

    if (st != CL_SUCCESS) return st;
    if (program->origin != PROGRAM_IL) return CL_INVALID_PROGRAM;
    if (value == NULL || size == 0 || size > sizeof(grown->value))
        return CL_INVALID_VALUE;
    n = program->nconstants;
    while (i < n && program->constants[i].id < id)
        i++;
    if (i == n || program->constants[i].id != id) {
        grown = realloc(program->constants, (n + 1) * sizeof(*grown));
        if (grown == NULL) return CL_OUT_OF_HOST_MEMORY;
        program->constants = grown;
        memmove(grown + i + 1, grown + i, (n - i) * sizeof(*grown));
        program->nconstants++;
    }
    at = &program->constants[i];
    memset(at, 0, sizeof(*at));
    at->id = id;
    at->size = size;
    memcpy(at->value, value, size);
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clSetProgramSpecializationConstant(
        cl_program program, cl_uint id, size_t size, const void *value)
{
    cl_int st = call_enter(CALL_clSetProgramSpecializationConstant,
            "program=%p id=%u size=%zu", (const void *)program, id, size);

    if (st == CL_SUCCESS) st = constant_set(program, id, size, value);
    return call_leave(CALL_clSetProgramSpecializationConstant, st);
}

/* ---- binaries ---- */

static bool binaries_are_ptx(cl_device_id device)
{
    return setting_number("PTX", device->index) != 0;
}

static cl_int binary_take(struct build *build, cl_device_id device,
        const uint8_t *binary, size_t size)
{
    enum binary_state state;

    state = binary_check(binary, size, device);
    if (state == BINARY_DAMAGED && setting_number("DIE_ON_DAMAGED", 0) != 0)
        fatal("a damaged binary of %zu bytes reached the driver", size);
    if (state == BINARY_FOREIGN && setting_number("TAKES_FOREIGN", 0) != 0)
        state = BINARY_GOOD;
    if (state != BINARY_GOOD
            || binary_holds(binary, size, setting("REFUSED_BINARY", 0)))
        return CL_INVALID_BINARY;
    build->binary = malloc(size);
    if (build->binary == NULL) return CL_OUT_OF_HOST_MEMORY;
    memcpy(build->binary, binary, size);
    build->binary_size = size;
    build->type = binary_type(binary);
    return CL_SUCCESS;
}

static cl_int binary_load(struct build *build, cl_device_id device,
        const uint8_t *given, size_t size)
{
    uint8_t *binary = NULL;
    cl_int st;

    if (given == NULL || size == 0) return CL_INVALID_VALUE;
    if (!binaries_are_ptx(device))
        return binary_take(build, device, given, size);
    if (memcmp(given, "\x7f", 1) == 0
            && setting_number("REFUSES_CUBINS", device->index) != 0)
        return CL_INVALID_BINARY;
    if (memcmp(given, "\x7f", 1) == 0
            && setting_number("DEADLY_CUBINS", device->index) != 0)
        fatal("a deadly CUBIN was given");
    st = ptx_unpack(given, size, device, &binary, &size);
    if (st == CL_SUCCESS) st = binary_take(build, device, binary, size);
    build->is_cubin = given[0] == 0x7f;
    free(binary);
    return st;
}

static cl_int binary_program_create(cl_program *program, cl_context context,
        cl_uint n, const cl_device_id *devices, const size_t *sizes,
        const unsigned char **binaries, cl_int *states)
{
    cl_program made = NULL;
    cl_int st = object_check(context, OBJECT_CONTEXT), one;

    if (st != CL_SUCCESS) return st;
    if (n == 0 || devices == NULL || sizes == NULL || binaries == NULL)
        return CL_INVALID_VALUE;
    st = devices_check(n, devices, context->ndevices, context->devices);
    if (st == CL_SUCCESS)
        st = program_create(&made, context, PROGRAM_BINARY, n, devices);
    if (st != CL_SUCCESS) return st;
    for (cl_uint i = 0; i < n; i++) {
        binary_bytes_note(sizes[i]);
        one = binary_load(&made->builds[i], devices[i], binaries[i], sizes[i]);
        if (states != NULL) states[i] = one;
        if (one != CL_SUCCESS) st = one;
    }
    if (st != CL_SUCCESS)
        object_disown(made);
    else
        *program = made;
    return st;
}

cl_program CL_API_CALL fake_clCreateProgramWithBinary(cl_context context,
        cl_uint n, const cl_device_id *devices, const size_t *sizes,
        const unsigned char **binaries, cl_int *states, cl_int *errcode)
{
    cl_program program = NULL;
    cl_int st = call_enter(CALL_clCreateProgramWithBinary,
            "devices=%u size=%zu", n, n != 0 && sizes != NULL ? sizes[0] : 0);

    if (st == CL_SUCCESS)
        st = binary_program_create(
                &program, context, n, devices, sizes, binaries, states);
    call_leave_with(CALL_clCreateProgramWithBinary, st, errcode);
    return program;
}

/* ---- references, queries ---- */

cl_int CL_API_CALL fake_clRetainProgram(cl_program program)
{
    cl_int st = call_enter(
            CALL_clRetainProgram, "program=%p", (const void *)program);

    if (st == CL_SUCCESS) st = object_retain(program, OBJECT_PROGRAM);
    return call_leave(CALL_clRetainProgram, st);
}

cl_int CL_API_CALL fake_clReleaseProgram(cl_program program)
{
    cl_int st = call_enter(
            CALL_clReleaseProgram, "program=%p", (const void *)program);
    cl_int done = object_release(program, OBJECT_PROGRAM);

    return call_leave(CALL_clReleaseProgram, st != CL_SUCCESS ? st : done);
}

cl_int CL_API_CALL fake_clSetProgramReleaseCallback(
        cl_program program, program_callback *notify, void *user)
{
    struct notice *notice;
    cl_int st = call_enter(CALL_clSetProgramReleaseCallback, "program=%p",
            (const void *)program);

    if (st == CL_SUCCESS) st = object_check(program, OBJECT_PROGRAM);
    if (st == CL_SUCCESS && notify == NULL) st = CL_INVALID_VALUE;
    if (st == CL_SUCCESS)
        st = notice_create(
                &notice, program_notify, (void (*)(void))notify, user);
    if (st == CL_SUCCESS) {
        notice->next = program->destructors;
        program->destructors = notice;
    }
    return call_leave(CALL_clSetProgramReleaseCallback, st);
}

bool program_device(cl_program program, cl_device_id device, cl_uint *index)
{
    for (cl_uint i = 0; i < program->ndevices; i++) {
        if (program->devices[i] != device) continue;
        *index = i;
        return true;
    }
    return false;
}

bool is_like_intel(void)
{
    return setting_number("INTEL_CPU", 0) != 0;
}

const struct build *program_executable(cl_program program)
{
    for (cl_uint i = 0; i < program->ndevices; i++)
        if (program->builds[i].status == CL_BUILD_SUCCESS
                && program->builds[i].type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
            return &program->builds[i];
    return NULL;
}

static cl_int answer_binary_sizes(
        cl_program program, const struct answer *answer)
{
    cl_int st = setting_status("SIZES_MS", 0);
    size_t *sizes;

    if (st != CL_SUCCESS) return st;
    sizes_wait();
    sizes = calloc(program->ndevices, sizeof(size_t));
    if (sizes == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < program->ndevices; i++) {
        const cl_uint at = program->order[i];

        sizes[i] = program->builds[at].binary_size;
        if (sizes[i] != 0 && binaries_are_ptx(program->devices[at]))
            free(ptx_of_build(
                    &program->builds[at], program->devices[at], &sizes[i]));
    }
    st = answer_bytes(answer, sizes, program->ndevices * sizeof(size_t));
    free(sizes);
    return st;
}

static bool binary_copy(
        unsigned char *to, const struct build *build, cl_device_id device)
{
    size_t size;
    char *text;

    if (!binaries_are_ptx(device)) {
        memcpy(to, build->binary, build->binary_size);
        return true;
    }
    text = ptx_of_build(build, device, &size);
    if (text != NULL) memcpy(to, text, size);
    free(text);
    return text != NULL;
}

/* The value is an array of the caller's pointers to where the bytes go. */
static cl_int answer_binaries(cl_program program, const struct answer *answer)
{
    size_t size = program->ndevices * sizeof(unsigned char *);
    unsigned char **to = answer->value;

    if (to != NULL && answer->capacity < size) return CL_INVALID_VALUE;
    for (cl_uint i = 0; to != NULL && i < program->ndevices; i++) {
        const cl_uint at = program->order[i];

        if (to[i] != NULL && program->builds[at].binary_size != 0
                && !binary_copy(
                        to[i], &program->builds[at], program->devices[at]))
            return CL_OUT_OF_HOST_MEMORY;
    }
    if (answer->size_ret != NULL) *answer->size_ret = size;
    return CL_SUCCESS;
}

static cl_int answer_kernel_names(
        const struct kernel_list *kernels, const struct answer *answer)
{
    size_t size = 1;
    char *names;
    cl_int st;

    for (size_t i = 0; i < kernels->count; i++)
        size += strlen(kernels->items[i].name) + 1;
    names = calloc(1, size);
    if (names == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < kernels->count; i++) {
        if (i != 0) strcat(names, ";");
        strcat(names, kernels->items[i].name);
    }
    st = answer_string(answer, names);
    free(names);
    return st;
}

static cl_int answer_devices(cl_program program, const struct answer *answer)
{
    const bool lists_root = setting_number("LISTS_ROOT", 0) != 0;
    cl_device_id *list = calloc(program->ndevices, sizeof(*list));
    cl_int st;

    if (list == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < program->ndevices; i++) {
        const cl_device_id device = program->devices[i];
        list[i] =
                lists_root && device->parent != NULL ? device->parent : device;
    }
    st = answer_bytes(answer, list, program->ndevices * sizeof(*list));
    free(list);
    return st;
}

static cl_int program_info(
        cl_program program, cl_program_info param, const struct answer *answer)
{
    const struct build *built;
    cl_int st = object_check(program, OBJECT_PROGRAM);

    if (st != CL_SUCCESS) return st;
    built = program_executable(program);
    switch (param) {
    case CL_PROGRAM_REFERENCE_COUNT:
        return answer_uint(answer, program->base.external);
    case CL_PROGRAM_CONTEXT:
        return answer_pointer(answer, program->context);
    case CL_PROGRAM_NUM_DEVICES:
        return answer_uint(answer, program->ndevices);
    case CL_PROGRAM_DEVICES:
        return answer_devices(program, answer);
    case CL_PROGRAM_SOURCE:
        return answer_string(
                answer, program->source != NULL ? program->source : "");
    case CL_PROGRAM_IL:
        return answer_bytes(answer, program->il, program->il_size);
    case CL_PROGRAM_BINARY_SIZES:
        return answer_binary_sizes(program, answer);
    case CL_PROGRAM_BINARIES:
        return answer_binaries(program, answer);
    case CL_PROGRAM_NUM_KERNELS:
        if (built == NULL) return CL_INVALID_PROGRAM_EXECUTABLE;
        return answer_size(answer, built->kernels.count);
    case CL_PROGRAM_KERNEL_NAMES:
        if (built == NULL || (built->kernels.count == 0 && is_like_intel()))
            return CL_INVALID_PROGRAM_EXECUTABLE;
        return answer_kernel_names(&built->kernels, answer);
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return answer_uint(answer, CL_FALSE);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetProgramInfo(cl_program program,
        cl_program_info param, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetProgramInfo, "program=%p param=0x%x",
            (const void *)program, param);

    if (st == CL_SUCCESS) st = program_info(program, param, &answer);
    return call_leave(CALL_clGetProgramInfo, st);
}

static cl_int build_info(cl_program program, cl_device_id device,
        cl_program_build_info param, const struct answer *answer)
{
    const struct build *build;
    cl_uint index;
    cl_int st = object_check(program, OBJECT_PROGRAM);

    if (st != CL_SUCCESS) return st;
    if (!program_device(program, device, &index)) return CL_INVALID_DEVICE;
    build = &program->builds[index];
    switch (param) {
    case CL_PROGRAM_BUILD_STATUS:
        return answer_int(answer, build->status);
    case CL_PROGRAM_BUILD_OPTIONS:
        return answer_string(
                answer, build->options != NULL ? build->options : "");
    case CL_PROGRAM_BUILD_LOG:
        return answer_string(answer, build->log != NULL ? build->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        return answer_uint(answer, build->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        if ((build->status != CL_BUILD_SUCCESS
                    || build->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT)
                && answer->value != NULL && answer->capacity >= sizeof(size_t)
                && is_like_intel())
            return CL_INVALID_PROGRAM;
        return answer_size(answer, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetProgramBuildInfo(cl_program program,
        cl_device_id device, cl_program_build_info param, size_t capacity,
        void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetProgramBuildInfo, "program=%p param=0x%x",
            (const void *)program, param);

    if (st == CL_SUCCESS) st = build_info(program, device, param, &answer);
    return call_leave(CALL_clGetProgramBuildInfo, st);
}

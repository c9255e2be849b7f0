/* SPDX-License-Identifier: Apache-2.0 */
/* Building, compiling and linking programs. */
#include "fake_binary.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef void(CL_CALLBACK program_callback)(cl_program, void *);

/* One call of clBuildProgram or clCompileProgram. */
struct work {
    cl_program program;
    cl_uint ndevices;
    const cl_device_id *devices;
    const char *options;
    cl_program_binary_type type; /* what is made of it */
    cl_int failure;              /* the status of what does not compile */
    size_t nheaders;
    const char **header_names;
    const char **headers;
};

static void program_notify(const struct notice *notice)
{
    ((program_callback *)notice->function)(
            (cl_program)notice->handle, notice->user);
}

static cl_int callback_prepare(
        struct notice **notice, program_callback *notify, void *user)
{
    *notice = NULL;
    if (notify == NULL) return user == NULL ? CL_SUCCESS : CL_INVALID_VALUE;
    return notice_create(notice, program_notify, (void (*)(void))notify, user);
}

static cl_int devices_of(
        cl_program program, cl_uint n, const cl_device_id *devices)
{
    if ((n == 0) != (devices == NULL)) return CL_INVALID_VALUE;
    return devices_check(n, devices, program->ndevices, program->devices);
}

static cl_int options_check(const char *options)
{
    options += strspn(options, " \t");
    return *options == '\0' || *options == '-' ? CL_SUCCESS
                                               : CL_INVALID_BUILD_OPTIONS;
}

static bool is_wanted(const struct work *work, cl_device_id device)
{
    if (work->ndevices == 0) return true;
    for (cl_uint i = 0; i < work->ndevices; i++)
        if (work->devices[i] == device) return true;
    return false;
}

/* The log: what the settings say, then why it failed, if it did, and where. */
static cl_int log_write(
        struct build *build, cl_device_id device, const char *error)
{
    const char *own = setting("BUILD_LOG", device->index);
    const char *place = setting("ERROR_PLACE", device->index);
    size_t size = strlen(own) + strlen(place) + 16;

    if (error != NULL) size += strlen(error);
    build->log = malloc(size);
    if (build->log == NULL) return CL_OUT_OF_HOST_MEMORY;
    strcpy(build->log, own);
    if (error != NULL) {
        strcat(build->log, place);
        strcat(build->log, "error: ");
        strcat(build->log, error);
        strcat(build->log, "\n");
    }
    return CL_SUCCESS;
}

/* Finds the kernels of the build's binary: success, or an error told in the
 * log, or CL_OUT_OF_HOST_MEMORY. */
static cl_int build_finish(struct build *build, cl_device_id device,
        cl_program_binary_type type, cl_int failure)
{
    char *error = NULL;
    cl_int st = binary_scan(
            build->binary, build->binary_size, device, &build->kernels, &error);

    if (st == CL_SUCCESS) st = log_write(build, device, error);
    if (st == CL_SUCCESS && error != NULL) st = failure;
    free(error);
    build->status = st == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    build->type = st == CL_SUCCESS ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    if (st == failure) {
        free(build->binary);
        build->binary = NULL;
        build->binary_size = 0;
    }
    return st;
}

static atomic_uint build_number;

/* The options and, as more of them, the specialization constants. */
static char *options_with_constants(cl_program program, const char *options)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to == NULL) return NULL;
    fputs(options, to);
    if (setting_number("VARIES", 0) != 0)
        fprintf(to, " -fake-build=%d.%u", (int)getpid(),
                atomic_fetch_add(&build_number, 1));
    for (size_t i = 0; i < program->nconstants; i++) {
        const struct spec_constant *constant = &program->constants[i];

        fprintf(to, " -fake-spec-%u=", constant->id);
        for (size_t j = 0; j < constant->size; j++)
            fprintf(to, "%02x", constant->value[j]);
    }
    return fclose(to) == 0 ? text : NULL;
}

/* For ever, a few megabytes each time. */
static _Noreturn void eat_memory(void)
{
    enum { bite = 4 << 20 };
    const struct timespec pause = {0, 2000000};

    for (;;) {
        char *bytes = malloc(bite);
        if (bytes != NULL) memset(bytes, 1, bite);
        nanosleep(&pause, NULL);
    }
}

static void meet_fate(const struct source_input *input)
{
    if (setting_number("DEADLY_SOURCES", 0) == 0) return;
    if (strstr(input->text, "fate: crash") != NULL)
        fatal("a deadly source was built");
    if (strstr(input->text, "fate: eat") != NULL) eat_memory();
    while (strstr(input->text, "fate: hang") != NULL)
        pause();
}

static uint64_t fnv(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash ^ 0xff;
}

/* What the compiler reads before the source: as its own cache has it, or else
 * as the settings say. malloc'ed. */
static char *own_header(const struct source_input *input)
{
    const char *folder = setting("OWN_CACHE", 0);
    char *text = strdup(setting("OWN_HEADER", 0));
    char path[4096];
    char kept[4096];
    const int size = snprintf(path, sizeof path, "%s/%016llx", folder,
            (unsigned long long)fnv(
                    fnv(0xcbf29ce484222325u, input->text), input->options));

    if (text == NULL || folder[0] == '\0') return text;
    if (size < 0 || (size_t)size >= sizeof path) fatal("OWN_CACHE is long");
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        kept[fread(kept, 1, sizeof kept - 1, file)] = '\0';
        free(text);
        text = strdup(kept);
    } else {
        file = fopen(path, "w");
        if (file == NULL || fputs(text, file) < 0) fatal("no %s", path);
    }
    (void)fclose(file);
    return text;
}

static char *joined(const char *header, const char *text)
{
    char *all = malloc(strlen(header) + strlen(text) + 1);

    if (all != NULL) {
        strcpy(all, header);
        strcat(all, text);
    }
    return all;
}

/* A binary has the options. As in those of real drivers, nothing is left there
 * of a reserved macro that the source does not name. */
static void drop_unused_macros(char *options, const char *text)
{
    static const char reserved[] = "-D__";
    char name[128];

    for (char *at = strstr(options, reserved); at != NULL;) {
        const size_t size = strcspn(at, " ");
        char *end = at + size + strspn(at + size, " ");

        if (size < sizeof name) {
            memcpy(name, at + 2, size - 2);
            name[size - 2] = '\0';
        }
        if (size < sizeof name && strstr(text, name) == NULL)
            memmove(at, end, strlen(end) + 1);
        else
            at = end;
        at = strstr(at, reserved);
    }
}

static cl_int compile_source(
        const struct work *work, struct build *build, cl_device_id device)
{
    cl_program program = work->program;
    struct units units = {NULL, 0, 0};
    struct source_input input = {
            .text = program->source != NULL ? program->source
                                            : (const char *)program->il + 4,
            .nheaders = work->nheaders,
            .header_names = work->header_names,
            .headers = work->headers,
    };
    char *options = options_with_constants(program, work->options);
    char *header = NULL;
    char *text = NULL;

    meet_fate(&input);
    cl_int st = options != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;

    input.options = options;
    if (st == CL_SUCCESS) header = own_header(&input);
    if (header != NULL) text = joined(header, input.text);
    if (text == NULL) st = CL_OUT_OF_HOST_MEMORY;
    if (st == CL_SUCCESS) input.text = text;
    if (st == CL_SUCCESS) drop_unused_macros(options, text);
    if (st == CL_SUCCESS) st = units_add_source(&units, &input);
    if (st == CL_SUCCESS) st = binary_wrap(build, &units, work->type, device);
    if (st == CL_SUCCESS)
        st = build_finish(build, device, work->type, work->failure);
    free(header);
    free(text);
    free(options);
    units_fini(&units);
    return st;
}

static cl_int load_binary(
        const struct work *work, struct build *build, cl_device_id device)
{
    if (build->binary == NULL
            || binary_type(build->binary) != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return CL_INVALID_BINARY;
    if (binary_holds(build->binary, build->binary_size,
                setting("DEADLY_BINARY", device->index)))
        fatal("a deadly binary was built");
    return build_finish(build, device, work->type, work->failure);
}

static bool compiles_over(const struct work *work)
{
    return work->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
           && setting_number("NVIDIA", 0) != 0;
}

/* The kernels that outlive the build: those of an executable. */
static struct kernel_list take_kernels(struct build *build)
{
    struct kernel_list *list = build->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                       ? &build->kernels
                                       : &build->before;
    const struct kernel_list taken = *list;

    memset(list, 0, sizeof(*list));
    return taken;
}

/* Forgets the last build, but not a binary that was given. */
static cl_int build_begin(const struct work *work, struct build *build)
{
    uint8_t *binary = NULL;
    size_t size = 0;
    const bool is_cubin = build->is_cubin; /* of a program of binaries */
    struct kernel_list before;

    memset(&before, 0, sizeof(before));
    if (compiles_over(work)) before = take_kernels(build);

    if (work->program->origin == PROGRAM_BINARY) {
        binary = build->binary;
        size = build->binary_size;
        build->binary = NULL;
    }
    build_fini(build);
    build->before = before;
    build->binary = binary;
    build->binary_size = size;
    build->is_cubin = is_cubin;
    build->status = CL_BUILD_IN_PROGRESS;
    build->options = strdup(work->options);
    return build->options != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* A refusal may leave less than there was. */
static void spoil_builds(const struct work *work)
{
    const char *refusal = is_like_intel() ? "status" : setting("REFUSAL", 0);
    cl_program program = work->program;

    for (cl_uint i = 0; i < program->ndevices && refusal[0] != '\0'; i++) {
        struct build *build = &program->builds[i];

        if (!is_wanted(work, program->devices[i])) continue;
        if (strcmp(refusal, "forgets") == 0 && !program->is_of_binary)
            build_fini(build);
        build->status = CL_BUILD_ERROR;
        build->is_spoiled = is_like_intel();
    }
}

/* The binaries in the order of the list, those of no build behind. */
static void order_binaries(const struct work *work)
{
    cl_program program = work->program;
    cl_uint n = 0;
    cl_uint index = 0;

    for (cl_uint i = 0; i < work->ndevices; i++)
        if (program_device(program, work->devices[i], &index))
            program->order[n++] = index;
    for (cl_uint i = 0; i < program->ndevices; i++)
        if (work->ndevices == 0 || !is_wanted(work, program->devices[i]))
            program->order[n++] = i;
}

static cl_int work_check(const struct work *work)
{
    cl_program program = work->program;
    cl_int st = devices_of(program, work->ndevices, work->devices);

    if (st != CL_SUCCESS) return st;
    if (program->origin == PROGRAM_LINK || program->building
            || (program->kernels != 0 && !compiles_over(work)))
        return CL_INVALID_OPERATION;
    if (program->origin == PROGRAM_BINARY
            && work->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        return CL_INVALID_OPERATION;
    st = options_check(work->options);
    if (st != CL_SUCCESS) spoil_builds(work);
    return st;
}

/* A pipe cannot be on a disk: false, unless nobody asks the system. */
static bool file_sync(void)
{
    const char *variable = setting("SYNCS", 0);
    const char *folder = variable[0] != '\0' ? getenv(variable) : NULL;
    char path[4096];
    if (variable[0] == '\0') return true;
    if (folder == NULL) return false;
    (void)mkdir(folder, 0700); /* as drivers do */
    const int size =
            snprintf(path, sizeof path, "%s/fake-%d", folder, getpid());
    if (size < 0 || (size_t)size >= sizeof path || mkfifo(path, 0600) != 0)
        return false;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const bool is_synced = fd >= 0 && fsync(fd) == 0 && fdatasync(fd) == 0;
    if (fd >= 0) (void)close(fd);
    (void)unlink(path);
    return is_synced;
}

/* What the settings have a build of source answer. */
static cl_int build_error(const struct work *work)
{
    cl_program program = work->program;
    cl_int st = CL_SUCCESS;

    for (cl_uint i = 0; i < program->ndevices && st == CL_SUCCESS; i++)
        if (program->compiles && is_wanted(work, program->devices[i]))
            st = (cl_int)setting_number(
                    "BUILD_ERROR", program->devices[i]->index);
    if (st == CL_SUCCESS && !file_sync()) st = CL_OUT_OF_RESOURCES;
    return st;
}

static void print_warnings(void)
{
    const char *text = setting("PRINTS", 0);
    if (text[0] == '\0') return;
    (void)dprintf(STDOUT_FILENO, "%s\n", text);
    (void)dprintf(STDERR_FILENO, "%s\n", text);
}

/* Intel's builds nothing again of which a call has failed, and compiles nothing
 * again with the options of the last time. */
static bool changes_nothing(const struct work *work, const struct build *build)
{
    return is_like_intel() && work->program->compiles
           && (build->is_spoiled
                   || (work->type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
                           && build->type == work->type
                           && strcmp(build->options, work->options) == 0));
}

/* What does not compile leaves of an Intel's build all but its status, and with
 * clBuildProgram its options. */
static cl_int compile_as_intel(
        const struct work *work, struct build *build, cl_device_id device)
{
    struct build before = *build;
    memset(build, 0, sizeof(*build));
    cl_int st = build_begin(work, build);
    if (st == CL_SUCCESS) st = compile_source(work, build, device);
    if (st == work->failure) {
        if (work->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
            char *options = before.options;
            before.options = build->options;
            build->options = options;
        }
        build_fini(build);
        *build = before;
        build->status = CL_BUILD_ERROR;
        build->is_spoiled = true;
    } else {
        build_fini(&before);
    }
    return st;
}

/* Each device for itself: what fails for one is built for the others. */
static cl_int work_do_as_intel(const struct work *work)
{
    cl_program program = work->program;
    bool has_waited = false;
    cl_int st = CL_SUCCESS;

    for (cl_uint i = 0; i < program->ndevices; i++) {
        struct build *build = &program->builds[i];
        cl_int one = work->failure;

        if (!is_wanted(work, program->devices[i])) continue;
        if (!changes_nothing(work, build)) {
            if (!has_waited) build_wait(true);
            has_waited = true;
            one = build_error(work);
            if (one != CL_SUCCESS) return one;
            one = compile_as_intel(work, build, program->devices[i]);
        }
        if (one != CL_SUCCESS) st = one;
    }
    return st;
}

static cl_int work_do(const struct work *work)
{
    cl_program program = work->program;
    cl_int st = CL_SUCCESS;

    print_warnings();
    program->building = true;
    object_hold(program);
    if (is_like_intel() && program->compiles) {
        st = work_do_as_intel(work);
        program->building = false;
        return st;
    }
    if (setting_number("LIST_ORDER", 0) != 0) order_binaries(work);
    for (cl_uint i = 0; i < program->ndevices && st == CL_SUCCESS; i++)
        if (is_wanted(work, program->devices[i]))
            st = build_begin(work, &program->builds[i]);
    if (st == CL_SUCCESS) build_wait(program->compiles);
    if (st == CL_SUCCESS) st = build_error(work);
    for (cl_uint i = 0; i < program->ndevices && st != CL_SUCCESS; i++)
        if (is_wanted(work, program->devices[i]))
            program->builds[i].status = CL_BUILD_ERROR;
    for (cl_uint i = 0; i < program->ndevices && st == CL_SUCCESS; i++) {
        if (!is_wanted(work, program->devices[i])) continue;
        if (program->compiles)
            st = compile_source(work, &program->builds[i], program->devices[i]);
        else
            st = load_binary(work, &program->builds[i], program->devices[i]);
    }
    program->building = false;
    return st;
}

/* With a callback the outcome is told there, and in the program. */
static cl_int work_run(
        const struct work *work, program_callback *notify, void *user)
{
    struct notice *notice;
    cl_int st = object_check(work->program, OBJECT_PROGRAM);

    if (st == CL_SUCCESS) st = callback_prepare(&notice, notify, user);
    if (st != CL_SUCCESS) return st;
    st = work_check(work);
    const bool is_refused = st != CL_SUCCESS;
    const bool tells_both = setting_number("CALLBACK_AND_STATUS", 0) != 0;
    if (is_refused && !tells_both) {
        free(notice);
        return st;
    }
    if (!is_refused) st = work_do(work);
    if (notice != NULL) {
        notice_post(notice, &work->program->base, CL_SUCCESS);
        if (!tells_both) st = CL_SUCCESS;
    }
    if (!is_refused) object_drop(work->program);
    return st;
}

cl_int CL_API_CALL fake_clBuildProgram(cl_program program, cl_uint n,
        const cl_device_id *devices, const char *options,
        program_callback *notify, void *user)
{
    const struct work work = {
            .program = program,
            .ndevices = n,
            .devices = devices,
            .options = options != NULL ? options : "",
            .type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            .failure = CL_BUILD_PROGRAM_FAILURE,
    };
    cl_int st = call_enter(CALL_clBuildProgram, "program=%p options=%s",
            (const void *)program, work.options);

    if (st == CL_SUCCESS) st = work_run(&work, notify, user);
    return call_leave(CALL_clBuildProgram, st);
}

/* The texts of the header programs; headers is the caller's to free. */
static cl_int headers_read(cl_uint n, const cl_program *programs,
        const char **names, const char ***headers)
{
    const char **texts;
    cl_int st;

    if ((n == 0) != (programs == NULL) || (n == 0) != (names == NULL))
        return CL_INVALID_VALUE;
    texts = calloc(n + 1, sizeof(char *));
    if (texts == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < n; i++) {
        st = object_check(programs[i], OBJECT_PROGRAM);
        if (st == CL_SUCCESS && programs[i]->source == NULL)
            st = CL_INVALID_PROGRAM;
        if (st != CL_SUCCESS) {
            free(texts);
            return st;
        }
        texts[i] = programs[i]->source;
    }
    *headers = texts;
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clCompileProgram(cl_program program, cl_uint n,
        const cl_device_id *devices, const char *options, cl_uint nheaders,
        const cl_program *header_programs, const char **header_names,
        program_callback *notify, void *user)
{
    struct work work = {
            .program = program,
            .ndevices = n,
            .devices = devices,
            .options = options != NULL ? options : "",
            .type = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
            .failure = CL_COMPILE_PROGRAM_FAILURE,
            .nheaders = nheaders,
            .header_names = header_names,
    };
    cl_int st = call_enter(CALL_clCompileProgram,
            "program=%p headers=%u options=%s", (const void *)program, nheaders,
            work.options);

    if (st == CL_SUCCESS)
        st = headers_read(
                nheaders, header_programs, header_names, &work.headers);
    if (st == CL_SUCCESS) st = work_run(&work, notify, user);
    free(work.headers);
    return call_leave(CALL_clCompileProgram, st);
}

/* ---- linking ---- */

static cl_int input_check(cl_program program, cl_device_id device)
{
    const struct build *build;
    cl_uint index;
    cl_int st = object_check(program, OBJECT_PROGRAM);

    if (st != CL_SUCCESS) return st;
    if (program->building || !program_device(program, device, &index))
        return CL_INVALID_OPERATION;
    build = &program->builds[index];
    if (build->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
            && build->type != CL_PROGRAM_BINARY_TYPE_LIBRARY)
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

static cl_int link_on(cl_program program, cl_uint index, const char *options,
        cl_uint n, const cl_program *inputs)
{
    cl_device_id device = program->devices[index];
    struct build *build = &program->builds[index];
    struct units units = {NULL, 0, 0};
    cl_program_binary_type type = strstr(options, "-create-library") != NULL
                                          ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                          : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
    cl_uint at = 0;
    cl_int st = CL_SUCCESS;

    build->options = strdup(options);
    if (build->options == NULL) st = CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < n && st == CL_SUCCESS; i++) {
        program_device(inputs[i], device, &at);
        st = units_add_binary(&units, inputs[i]->builds[at].binary,
                inputs[i]->builds[at].binary_size);
    }
    if (st == CL_SUCCESS) st = binary_wrap(build, &units, type, device);
    if (st == CL_SUCCESS)
        st = build_finish(build, device, type, CL_LINK_PROGRAM_FAILURE);
    if (st == CL_SUCCESS && strstr(options, "FAKE_BUILD_FAILURE") != NULL) {
        st = CL_LINK_PROGRAM_FAILURE;
        build->status = CL_BUILD_ERROR;
    }
    units_fini(&units);
    return st;
}

static cl_int link_check(cl_context context, cl_uint ndevices,
        const cl_device_id *devices, const char *options, cl_uint n,
        const cl_program *inputs)
{
    cl_int st = object_check(context, OBJECT_CONTEXT);

    if (st != CL_SUCCESS) return st;
    if (n == 0 || inputs == NULL || (ndevices == 0) != (devices == NULL))
        return CL_INVALID_VALUE;
    st = devices_check(ndevices, devices, context->ndevices, context->devices);
    if (ndevices == 0) {
        ndevices = context->ndevices;
        devices = context->devices;
    }
    for (cl_uint i = 0; i < n; i++)
        for (cl_uint j = 0; j < ndevices && st == CL_SUCCESS; j++)
            st = input_check(inputs[i], devices[j]);
    if (st == CL_SUCCESS && options_check(options) != CL_SUCCESS)
        st = CL_INVALID_LINKER_OPTIONS;
    return st;
}

static cl_int link_do(cl_program program, const char *options, cl_uint n,
        const cl_program *inputs)
{
    cl_int st = CL_SUCCESS;

    for (cl_uint i = 0; i < n; i++) {
        program->compiles = program->compiles || inputs[i]->compiles;
        program->is_of_binary =
                program->is_of_binary || inputs[i]->is_of_binary;
        object_hold(inputs[i]);
    }
    build_wait(program->compiles);
    for (cl_uint i = 0; i < program->ndevices && st == CL_SUCCESS; i++)
        st = link_on(program, i, options, n, inputs);
    for (cl_uint i = 0; i < n; i++)
        object_drop(inputs[i]);
    return st;
}

cl_program CL_API_CALL fake_clLinkProgram(cl_context context, cl_uint ndevices,
        const cl_device_id *devices, const char *options, cl_uint n,
        const cl_program *inputs, program_callback *notify, void *user,
        cl_int *errcode)
{
    cl_program program = NULL;
    struct notice *notice = NULL;
    const char *given = options != NULL ? options : "";
    cl_int st =
            call_enter(CALL_clLinkProgram, "programs=%u options=%s", n, given);

    if (st == CL_SUCCESS)
        st = link_check(context, ndevices, devices, given, n, inputs);
    if (st == CL_SUCCESS) st = callback_prepare(&notice, notify, user);
    if (st == CL_SUCCESS)
        st = program_create(&program, context, PROGRAM_LINK,
                ndevices != 0 ? ndevices : context->ndevices,
                ndevices != 0 ? devices : context->devices);
    if (st == CL_SUCCESS) {
        st = link_do(program, given, n, inputs);
        if (notice != NULL) {
            notice_post(notice, &program->base, CL_SUCCESS);
            notice = NULL;
            st = CL_SUCCESS;
        }
        /* What failed to link is handed out for its log. */
        if (st != CL_SUCCESS && st != CL_LINK_PROGRAM_FAILURE) {
            object_disown(program);
            program = NULL;
        }
    }
    free(notice);
    call_leave_with(CALL_clLinkProgram, st, errcode);
    return program;
}

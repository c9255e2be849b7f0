/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of the library and where they are, for move_campaign.py: reads lines
 * "FOLDER<tab>OPTIONS<tab>SOURCE", as move_probe does, and writes "refused",
 * or "stays" or "moves" with the ID of the program in that working directory.
 *
 * Of a line that begins with "=" the program is also compiled, and made from
 * the blob of the last one that has the same ID: "same" if both say the same of
 * themselves, else what they say. "other binary": that of the blob is not what
 * was compiled now, on a driver that always compiles to the same bytes.
 * "fails": it does not compile.
 */
#include "dnnl_cache.h"
#include "test_platform.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 1 << 16 };

struct bytes_of {
    size_t size;
    uint8_t data[1 << 20];
};

static struct bytes_of last_id;
static struct bytes_of last_blob;

static bool is_platform(const char *wanted)
{
    char name[64] = "";
    cl_platform_id platform = NULL;
    (void)clGetDeviceInfo(test_platform_device(), CL_DEVICE_PLATFORM,
            sizeof platform, &platform, NULL);
    (void)clGetPlatformInfo(
            platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    return strcmp(name, wanted) == 0;
}

/* ---- What a program says ------------------------------------------------- */

struct words {
    size_t size;
    char text[1 << 18];
};

static void say(struct words *words, const char *format, ...)
{
    const size_t room = sizeof words->text - words->size;
    va_list values;
    va_start(values, format);
    const int size = vsnprintf(words->text + words->size, room, format, values);
    va_end(values);
    if (size < 0 || (size_t)size >= room) abort();
    words->size += (size_t)size;
}

/* PoCL names its copy of the source by chance. */
static void drop_copies(char *text)
{
    for (char *at = strstr(text, "tempfile"); at != NULL;
            at = strstr(at + 1, "tempfile")) {
        char *end = strstr(at, ".cl");
        if (end != NULL) memmove(at + 1, end, strlen(end) + 1);
    }
}

/* How many slashes the options have behind a folder is no part of its ID. */
static void drop_slashes(char *text)
{
    for (char *at = strstr(text, "//"); at != NULL; at = strstr(at, "//"))
        memmove(at, at + 1, strlen(at));
}

/* Only what is compiled has a mark of the library's. */
static void drop_mark(char *options)
{
    static const char mark[] = "-D__dnnl_cache_";
    const char *end = strchr(options, ' ');
    if (strncmp(options, mark, sizeof mark - 1) == 0 && end != NULL)
        memmove(options, end + 1, strlen(end));
}

static void say_arguments(struct words *words, cl_kernel kernel)
{
    static const cl_kernel_arg_info numbers[] = {
            CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_ACCESS_QUALIFIER,
            CL_KERNEL_ARG_TYPE_QUALIFIER};
    static const cl_kernel_arg_info texts[] = {
            CL_KERNEL_ARG_TYPE_NAME, CL_KERNEL_ARG_NAME};
    cl_uint count = 0;
    (void)clGetKernelInfo(
            kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL);
    for (cl_uint i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            cl_ulong number = 0; /* of 4 or 8 bytes */
            const int error = (int)clGetKernelArgInfo(
                    kernel, i, numbers[k], sizeof number, &number, NULL);
            say(words, " %d %llu", error, (unsigned long long)number);
        }
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            char text[1024] = "";
            const int error = (int)clGetKernelArgInfo(
                    kernel, i, texts[k], sizeof text, text, NULL);
            say(words, " %d %s", error, text);
        }
    }
    say(words, "\n");
}

/* What is asked of a kernel on its device. */
static void say_kernel(struct words *words, cl_kernel kernel)
{
    static const cl_kernel_work_group_info infos[] = {CL_KERNEL_WORK_GROUP_SIZE,
            CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_LOCAL_MEM_SIZE,
            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
            CL_KERNEL_PRIVATE_MEM_SIZE};
    char attributes[1024] = "";
    const int error = (int)clGetKernelInfo(
            kernel, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL);
    say(words, " %d %s", error, attributes);
    for (size_t i = 0; i < sizeof infos / sizeof *infos; i++) {
        size_t sizes[3] = {0};
        const int status = (int)clGetKernelWorkGroupInfo(kernel,
                test_platform_device(), infos[i], sizeof sizes, sizes, NULL);
        say(words, " %d %zu %zu %zu", status, sizes[0], sizes[1], sizes[2]);
    }
    say_arguments(words, kernel);
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

static void say_kernels(struct words *words, cl_program program)
{
    char names[4096] = "";
    char *list[256];
    char *more = NULL;
    size_t count = 0;
    (void)clGetProgramInfo(
            program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL);
    for (char *name = strtok_r(names, ";", &more); name != NULL && count < 256;
            name = strtok_r(NULL, ";", &more))
        list[count++] = name;
    qsort(list, count, sizeof *list, compare_names);
    for (size_t i = 0; i < count; i++) {
        cl_int error;
        cl_kernel kernel = clCreateKernel(program, list[i], &error);
        say(words, "%s %d", list[i], (int)error);
        if (error == CL_SUCCESS) say_kernel(words, kernel);
        if (error == CL_SUCCESS) clReleaseKernel(kernel);
    }
}

static void say_all(struct words *words, dnnl_cache_program_t program)
{
    static char text[most];
    size_t size = sizeof text;
    cl_program cl = NULL;
    words->size = 0;
    if (dnnl_cache_program_get_build_log(program, &size, text) != dnnl_success
            || dnnl_cache_program_get_cl_program(program, &cl) != dnnl_success)
        abort();
    drop_copies(text);
    drop_slashes(text);
    say(words, "log: %s\n", text);
    say_kernels(words, cl);
    /* It tells none of what is loaded, wherever that was compiled. */
    if (is_platform("rusticl")) return;
    text[0] = '\0';
    (void)clGetProgramBuildInfo(cl, test_platform_device(),
            CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL);
    drop_mark(text);
    say(words, "options: %s\n", text);
}

/* ---- One line ------------------------------------------------------------ */

static dnnl_cache_program_desc_t describe(
        dnnl_engine_t engine, const char *source, const char *options)
{
    dnnl_cache_program_desc_t desc = NULL;
    if (dnnl_cache_program_desc_create(&desc, engine, 1, &source, NULL, options)
                    != dnnl_success
            || dnnl_cache_program_desc_set_include_following(desc, 1)
                       != dnnl_success)
        abort();
    return desc;
}

/* False: it does not compile. */
static bool make(struct words *words, dnnl_cache_program_desc_t desc,
        const struct bytes_of *from, struct bytes_of *blob)
{
    dnnl_cache_program_t program = NULL;
    const dnnl_status_t st =
            from != NULL ? dnnl_cache_program_create_from_cache_blob(
                    &program, desc, from->size, from->data)
                         : dnnl_cache_program_create(&program, desc);
    words->size = 0;
    words->text[0] = '\0';
    if (st != dnnl_success) return false;
    if (blob != NULL) {
        blob->size = sizeof blob->data;
        if (dnnl_cache_program_get_cache_blob(program, &blob->size, blob->data)
                != dnnl_success)
            abort();
    }
    say_all(words, program);
    (void)dnnl_cache_program_destroy(program);
    return true;
}

static void print_flat(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '\n' || *text == '\t' ? '|' : *text);
}

static size_t read_binary(struct bytes_of *out, const struct bytes_of *blob)
{
    out->size = sizeof out->data;
    if (dnnl_cache_blob_get_program_binary(
                blob->size, blob->data, 0, &out->size, out->data)
            != dnnl_success)
        abort();
    return out->size;
}

/* PoCL's has the name of a file in it that is another each time. */
static bool is_repeatable(void)
{
    return is_platform("rusticl") || is_platform("Oclgrind");
}

static bool have_one_binary(
        const struct bytes_of *one, const struct bytes_of *other)
{
    static struct bytes_of binaries[2];
    return read_binary(&binaries[0], one) == read_binary(&binaries[1], other)
           && memcmp(binaries[0].data, binaries[1].data, binaries[0].size) == 0;
}

/* Compiles, and loads what the last one was compiled to. */
static void compare(dnnl_cache_program_desc_t desc, const char *source,
        const char *options, const struct bytes_of *id)
{
    static struct words compiled;
    static struct words loaded;
    static struct bytes_of blob;
    const bool is_last = id->size == last_id.size && last_blob.size > 0
                         && memcmp(id->data, last_id.data, id->size) == 0;
    if (!make(&compiled, desc, NULL, &blob)) {
        printf("fails");
        last_blob.size = 0;
    } else if (blob.size == 0) {
        printf("no blob");
    } else if (!is_last) {
        printf("first");
    } else {
        dnnl_engine_t engine = test_platform_engine();
        dnnl_cache_program_desc_t again = describe(engine, source, options);
        const bool is_made = make(&loaded, again, &last_blob, NULL);
        if (is_repeatable() && !have_one_binary(&last_blob, &blob)) {
            printf("other binary");
        } else if (is_made && strcmp(compiled.text, loaded.text) == 0) {
            printf("same");
        } else {
            printf("differs: ");
            print_flat(compiled.text);
            printf(" --- loaded: ");
            print_flat(loaded.text);
        }
        (void)dnnl_cache_program_desc_destroy(again);
        (void)dnnl_engine_destroy(engine);
    }
    last_id = *id;
    last_blob = blob;
}

static void print_id(const struct bytes_of *id, const char *reason)
{
    static const char number[] = "<folder 1>";
    if (id->size == 0) {
        printf("refused\t");
        print_flat(reason);
        return;
    }
    const bool moves =
            memmem(id->data, id->size, number, sizeof number - 1) != NULL;
    printf(moves ? "moves\t" : "stays\t");
    for (size_t i = 0; i < id->size; i++)
        printf("%02x", id->data[i]);
}

static void answer(const char *options, const char *path, bool compiles)
{
    static char source[most];
    static struct bytes_of id;
    const char *reason = "";
    int is_cacheable;
    FILE *in = fopen(path, "re");
    if (in == NULL) abort();
    source[fread(source, 1, most - 1, in)] = '\0';
    (void)fclose(in);
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL) exit(77);
    dnnl_cache_program_desc_t desc = describe(engine, source, options);
    id.size = sizeof id.data;
    if (dnnl_cache_program_desc_get_cache_blob_id(desc, &id.size, id.data)
                    != dnnl_success
            || dnnl_cache_program_desc_is_cacheable(
                       desc, &is_cacheable, &reason)
                       != dnnl_success)
        abort();
    if (compiles)
        compare(desc, source, options, &id);
    else
        print_id(&id, reason);
    putchar('\n');
    (void)fflush(stdout);
    (void)dnnl_cache_program_desc_destroy(desc);
    (void)dnnl_engine_destroy(engine);
}

int main(void)
{
    static char line[1 << 14];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *folder = line + (line[0] == '=');
        char *options = strchr(folder, '\t');
        char *source = options != NULL ? strchr(options + 1, '\t') : NULL;
        if (source == NULL) return 2;
        *options++ = '\0';
        *source++ = '\0';
        source[strcspn(source, "\n")] = '\0';
        if (chdir(folder) != 0) return 2;
        answer(options, source, line[0] == '=');
    }
    return 0;
}

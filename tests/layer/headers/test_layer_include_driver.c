/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the driver's compiler finds a header, there the layer looks. The
 * headers are #error lines that name themselves, so that the build log tells
 * which one the compiler took; then a change of that file must change the
 * digest.
 */
#include "include_helpers.h"
#include "test.h"
#include "test_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_files = 6, log_size = 1 << 16 };

struct scene {
    const char *options;
    const char *source;
    const char *files[most_files]; /* that name themselves */
    const char *through;           /* a file before them; NULL: none */
    const char *text;              /* what it holds */
    bool by_all;                   /* every driver finds one of them */
};

static const struct scene scenes[] = {
        /* The working directory. */
        {"", "#include \"a.h\"\n", {"a.h"}, NULL, NULL, true},
        {"", "#include <a.h>\n", {"a.h"}, NULL, NULL, false},
        {"-I one", "#include \"a.h\"\n", {"a.h", "one/a.h"}, NULL, NULL, true},
        {"-I one", "#include <a.h>\n", {"a.h", "one/a.h"}, NULL, NULL, true},
        {"-I one", "#import \"a.h\"\n", {"a.h", "one/a.h"}, NULL, NULL, true},
        /* Folders in their order, however they are written. */
        {"-Ione -I two", "#include \"a.h\"\n", {"one/a.h", "two/a.h"}, NULL,
                NULL, true},
        {"-I two -Ione", "#include <a.h>\n", {"one/a.h", "two/a.h"}, NULL, NULL,
                true},
        {"-Ione -Itwo", "#include <a.h>\n", {"two/a.h"}, NULL, NULL, true},
        {"-I./one/ -I two/../two", "#include <b/../a.h>\n",
                {"two/a.h", "two/b/c.h"}, NULL, NULL, true},
        {"-I \"one\" -I two", "#include <a.h>\n", {"one/a.h", "two/a.h"}, NULL,
                NULL, true},
        {"-I\"my one\" -I two", "#include <a.h>\n", {"my one/a.h", "two/a.h"},
                NULL, NULL, true},
        {"-I\"my one\" -I two", "#include <a.h>\n",
                {" my one /a.h", "my one/a.h", "two/a.h"}, NULL, NULL, true},
        {"-I \"one\" -I two", "#include <a.h>\n",
                {" one /a.h", "one/a.h", "two/a.h"}, NULL, NULL, true},
        {"-isystem one -I two", "#include <a.h>\n", {"one/a.h", "two/a.h"},
                NULL, NULL, false},
        {"-iquote one -I two", "#include \"a.h\"\n", {"one/a.h", "two/a.h"},
                NULL, NULL, false},
        {"-idirafter one -I two", "#include \"a.h\"\n", {"one/a.h", "two/a.h"},
                NULL, NULL, false},
        {"-isystem one -I two -I one", "#include <a.h>\n",
                {"one/a.h", "two/a.h"}, NULL, NULL, false},
        /* Includes of headers. */
        {"-Ione", "#include \"b/c.h\"\n", {"a.h", "one/a.h", "one/b/a.h"},
                "one/b/c.h", "#include \"a.h\"\n", true},
        {"-Ione", "#include \"b/c.h\"\n", {"a.h", "one/a.h"}, "one/b/c.h",
                "#include \"a.h\"\n", true},
        {"-Ione", "#include \"b/c.h\"\n", {"a.h", "one/a.h", "one/b/a.h"},
                "one/b/c.h", "#include <a.h>\n", true},
        {"-Ione", "#include <b/c.h>\n", {"one/a.h", "a.h"}, "one/b/c.h",
                "#include \"../a.h\"\n", true},
        {"-Ione", "#include \"c.h\"\n", {"one/a.h", "a.h"}, "c.h",
                "#include \"a.h\"\n", true},
        /* Files of options. */
        {"-I one -include a.h", "int x;\n", {"a.h", "one/a.h"}, NULL, NULL,
                false},
        {"-I one -include a.h", "int x;\n", {"one/a.h"}, NULL, NULL, false},
};

/* What the compiler says of the scene; NULL: nothing, or it found no error. */
static char *build_log(cl_device_id device, const struct scene *scene)
{
    cl_int err;
    char *log = calloc(1, log_size);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (log == NULL || context == NULL) abort();
    const char *source = scene->source;
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &err);
    if (program == NULL) abort();
    if (clBuildProgram(program, 1, &device, scene->options, NULL, NULL)
            != CL_SUCCESS)
        (void)clGetProgramBuildInfo(
                program, device, CL_PROGRAM_BUILD_LOG, log_size - 1, log, NULL);
    clReleaseProgram(program);
    clReleaseContext(context);
    return log;
}

/* Which of the files the compiler took; NULL: none. */
static const char *file_taken(cl_device_id device, const struct scene *scene)
{
    static const char mark[] = "taken ";
    const char *taken = NULL;
    char *log = build_log(device, scene);
    const char *at = strstr(log, mark);
    for (size_t i = 0; at != NULL && i < most_files; i++) {
        const char *file = scene->files[i];
        if (file == NULL) break;
        const char *name = at + sizeof mark - 1;
        if (strncmp(name, file, strlen(file)) == 0
                && strcspn(name, "\r\n") == strlen(file))
            taken = file;
    }
    if (taken == NULL && scene->by_all)
        (void)fprintf(stderr, "%s\n%s%s\n", scene->options, scene->source, log);
    free(log);
    return taken;
}

static void put_files(const struct scene *scene)
{
    for (size_t i = 0; i < most_files && scene->files[i] != NULL; i++) {
        char text[80];
        snprintf(text, sizeof text, "#error taken %s\n", scene->files[i]);
        put_file(scene->files[i], text);
    }
    if (scene->through != NULL) put_file(scene->through, scene->text);
}

static void remove_files(const struct scene *scene)
{
    for (size_t i = 0; i < most_files && scene->files[i] != NULL; i++)
        remove_file(scene->files[i]);
    if (scene->through != NULL) remove_file(scene->through);
}

static void check(cl_device_id device, const struct scene *scene)
{
    struct includes before;
    struct includes after;
    put_files(scene);
    const char *taken = file_taken(device, scene);
    const char *source = scene->source;
    EXPECT_TRUE(taken != NULL || !scene->by_all);
    if (taken != NULL) {
        EXPECT_TRUE(includes_follow(
                &before, NULL, NULL, 1, &source, NULL, scene->options));
        put_file(taken, "#error edited\n");
        EXPECT_TRUE(includes_follow(
                &after, NULL, NULL, 1, &source, NULL, scene->options));
        EXPECT_FALSE(same_digest(&before, &after));
    }
    if (test_has_failed())
        (void)fprintf(stderr, "%s: %s%s\n", taken != NULL ? taken : "none",
                scene->source, scene->options);
    remove_files(scene);
}

TEST_C(LayerIncludeDriver, LooksWhereTheLayerLooks)
{
    const cl_device_id device = test_platform_device();
    ASSERT_NOT_NULL(device);
    enter_files();
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        check(device, &scenes[i]);
    leave_files();
}

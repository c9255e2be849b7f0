/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer below the one that is tested, next to the driver: before each
 * build or compilation it writes the text EDIT_LAYER_TEXT to the file
 * EDIT_LAYER_FILE, if that is set. So a header changes in the moment between
 * the cache's look at it and the compiler's. If EDIT_LAYER_REMOVES is set, the
 * file is removed after the build. If EDIT_LAYER_FOLDER is set,
 * EDIT_LAYER_OTHER is in its place during it.
 */
#include "small_layer.h"

#include <stdio.h>
#include <stdlib.h>

const char layer_name[] = "edit a header";

static int write_file(const char *path, const char *text)
{
    FILE *file = text != NULL ? fopen(path, "w") : NULL;

    if (file == NULL) return 0;
    fputs(text, file);
    return fclose(file) == 0;
}

static int swap(const char *one, const char *other)
{
    char between[4096];

    snprintf(between, sizeof(between), "%s.between", one);
    return rename(one, between) == 0 && rename(other, one) == 0
           && rename(between, other) == 0;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count,
        const cl_device_id *devices, const char *options,
        void(CL_CALLBACK *notify)(cl_program program, void *user), void *user)
{
    const char *path = getenv("EDIT_LAYER_FILE");
    const char *folder = getenv("EDIT_LAYER_FOLDER");
    const char *other = getenv("EDIT_LAYER_OTHER");
    const int swaps = folder != NULL && other != NULL;
    cl_int err = CL_OUT_OF_HOST_MEMORY;

    if ((path != NULL && !write_file(path, getenv("EDIT_LAYER_TEXT")))
            || (swaps && !swap(folder, other)))
        return err;
    err = target->clBuildProgram(
            program, count, devices, options, notify, user);
    if ((path != NULL && getenv("EDIT_LAYER_REMOVES") != NULL
                && remove(path) != 0)
            || (swaps && !swap(folder, other)))
        err = CL_OUT_OF_HOST_MEMORY;
    return err;
}

/* The same, but for what is to be undone. */
static cl_int CL_API_CALL compile(cl_program program, cl_uint count,
        const cl_device_id *devices, const char *options, cl_uint header_count,
        const cl_program *headers, const char **header_names,
        void(CL_CALLBACK *notify)(cl_program program, void *user), void *user)
{
    const char *path = getenv("EDIT_LAYER_FILE");

    if (path != NULL && !write_file(path, getenv("EDIT_LAYER_TEXT")))
        return CL_OUT_OF_HOST_MEMORY;
    return target->clCompileProgram(program, count, devices, options,
            header_count, headers, header_names, notify, user);
}

bool layer_init(cl_icd_dispatch *own)
{
    own->clCompileProgram = compile;
    own->clBuildProgram = build;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls before which the driver gets what was found and not loaded yet
 * (compile/lazy.h), and that the layer has no other part in. */
#include "layer/calls/calls.h"
#include "layer/compile/lazy.h"
#include "layer/driver/next_layer.h"

typedef void(CL_CALLBACK *release_callback)(cl_program program, void *user);

static cl_int CL_API_CALL set_release_callback(
        cl_program handle, release_callback notify, void *user)
{
    lazy_load_handle(handle);
    return next_layer->clSetProgramReleaseCallback(handle, notify, user);
}

static cl_int CL_API_CALL unload_compiler(void)
{
    lazy_load_all();
    return next_layer->clUnloadCompiler();
}

static cl_int CL_API_CALL unload_platform_compiler(cl_platform_id platform)
{
    lazy_load_all();
    return next_layer->clUnloadPlatformCompiler(platform);
}

void put_lazy_calls(cl_icd_dispatch *table)
{
    table->clSetProgramReleaseCallback = set_release_callback;
    table->clUnloadCompiler = unload_compiler;
    table->clUnloadPlatformCompiler = unload_platform_compiler;
}

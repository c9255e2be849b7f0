/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache: looks into stores of cache blobs; tool_run.c is the program. */
#include "src/platform/environment.h"
#include "tools/dnnl_cache/base/scratch_files.h"
#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/commands/tool_run.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (!process_fill_streams()) return exit_io;
    /* Nobody reads on, or files may not grow: errors like any other. Being
     * killed could leave an import half done. */
    process_ignore_write_signals();
    if (argc > 1 && strcmp(argv[1], REFRESH_WORKER) == 0) {
        if (argc > 2) scratch_files_are_in(argv[2]);
        return refresh_worker_run(argc, argv);
    }
    /* A layer that is enabled for all applications is not for this one: it
     * looks at what drivers do without. Workers are told which layer they have.
     */
    environment_unset("OPENCL_LAYERS");
    return tool_run(argc, argv, stdout, stderr);
}

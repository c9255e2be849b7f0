/* SPDX-License-Identifier: Apache-2.0 */
/* dnnl-cache: looks into stores of cache blobs; tool_run.c is the program. */
#include "tools/dnnl_cache/base/scratch_files.h"
#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/commands/tool_run.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A descriptor that is closed at the start would be given to the next file
 * that is opened, and our words would end up in the store. What stands in for
 * standard output here cannot be written, so that its loss is noticed. */
static bool fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0
                && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY)
                           != fd)
            return false;
    return true;
}

int main(int argc, char **argv)
{
    if (!fill_standard_descriptors()) return exit_io;
    /* Nobody reads on, or files may not grow: errors like any other. Being
     * killed could leave an import half done. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (argc > 1 && strcmp(argv[1], REFRESH_WORKER) == 0) {
        if (argc > 2) scratch_files_are_in(argv[2]);
        return refresh_worker_run(argc, argv);
    }
    /* A layer that is enabled for all applications is not for this one: it
     * looks at what drivers do without. Workers are told which layer they have.
     */
    (void)unsetenv("OPENCL_LAYERS");
    return tool_run(argc, argv, stdout, stderr);
}

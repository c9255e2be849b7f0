/* SPDX-License-Identifier: Apache-2.0 */
/* model_compile: compiles a model's programs for another process, which starts
 * it and tells it what to do (workers.h). Not for people. */
#include "model/api/loader.h"
#include "src/platform/environment.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct loader_options options;
    struct worker_place place;
    struct loader loader;
    struct failure failure = {""};
    process_ignore_write_signals();
    bool ok = worker_parse(&options, &place, argc, argv);
    if (!ok) {
        fputs("model_compile: started by the library of dnnl_cache that loads "
              "models, not by hand\n",
                stderr);
    } else {
        loader_init(&loader, &options);
        ok = loader_serve(&loader, &place, &failure);
        loader_close(&loader);
        if (failure.text[0] != '\0')
            fprintf(stderr, "model_compile: %s\n", failure.text);
    }
    free((void *)(uintptr_t)options.shapes);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

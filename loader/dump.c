/* SPDX-License-Identifier: Apache-2.0 */
#include "dump.h"

#include "ports.h"
#include "tensor_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { path_size = 4096 };

struct dump {
    struct loader *loader;
    const char *folder;
    int step;
    bool is_written;
    struct failure *failure;
};

/* A name from a file must lead nowhere but into the folder. */
static bool name_file(
        const struct dump *dump, const char *tensor, char path[path_size])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    char name[128];
    snprintf(name, sizeof name, "%s", tensor);
    for (char *c = name; *c != '\0'; c++)
        if (strchr(plain, *c) == NULL) *c = '_';
    const int n = snprintf(
            path, path_size, "%s/%04d_%s.pb", dump->folder, dump->step, name);
    return n >= 0 && n < path_size;
}

static bool write_tensor(struct dump *dump, const struct graph_tensor *tensor)
{
    char path[path_size];
    dump->is_written = name_file(dump, tensor->name, path)
                               ? tensor_file_write(path, tensor, dump->failure)
                               : fail(dump->failure, "%s: %s", dump->folder,
                                       strerror(ENAMETOOLONG));
    return dump->is_written;
}

/* A step that writes no tensor of the model's is a part of the next. */
static bool visit(void *user, struct runner *runner, const char *name,
        const struct view *view)
{
    struct dump *dump = user;
    struct graph_tensor tensor = {0};
    (void)runner;
    bool ok = name == NULL;
    if (!ok)
        ok = ports_read_view(dump->loader,
                     graph_find_tensor(&dump->loader->graph, name), view, name,
                     &tensor, dump->failure)
             && write_tensor(dump, &tensor);
    tensor_file_fini(&tensor);
    dump->step++;
    return ok;
}

bool dump_layers(struct loader *loader, const char *folder, bool *is_written,
        struct failure *failure)
{
    struct dump dump = {loader, folder, 0, true, failure};
    *is_written = mkdir(folder, 0777) == 0 || errno == EEXIST;
    if (!*is_written)
        return fail(
                failure, "cannot make folder %s: %s", folder, strerror(errno));
    const bool ok = runner_run(&loader->runner, visit, &dump, failure);
    *is_written = dump.is_written;
    return ok;
}

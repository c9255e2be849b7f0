/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/added_code.h"

#include "dnnl_cache/sys/inside.h"
#include "dnnl_cache/sys/layer.h"
#include "layer/capture/stand_ins.h"
#include "layer/driver/quirks.h"
#include "layer/programs/launches.h"
#include "layer/settings/settings.h"
#include "src/drivers/pocl_folder.h"
#include "src/drivers/pocl_made.h"
#include "src/drivers/pocl_stand_in_file.h"

#include <stdio.h>
#include <stdlib.h>

bool added_code_suits(const struct build *build)
{
    return layer_settings()->capture_compiled && build->kind != build_object
           && build->count == 1 && !build->is_part && !build->is_loaded
           && build->lender == NULL && !build->devices[0].is_held
           && !build->devices[0].is_kept && atomic_load(&build->is_noted)
           && atomic_load(&build->is_binary_given)
           && !atomic_load(&build->has_stand_ins)
           && pocl_stand_ins_suit_environment()
           && quirk_takes_stand_ins(build->devices[0].device);
}

struct adding {
    struct build *build;
    dnnl_cache_program_t program;
    int folder_fd;
    const char *folder; /* its name */
    bool is_any;
};

/* Whole, and with the kernel's symbol; NULL: it is not. */
static uint8_t *read_code(int folder_fd, const char *path, size_t *size)
{
    struct file_facts facts;
    uint8_t stamp[pocl_made_stamp_size];
    const int fd = pocl_made_open_file(folder_fd, path, &facts);
    if (fd == file_none) return NULL;
    (void)file_close(fd);
    pocl_made_stamp(stamp, &facts);
    return pocl_made_read(folder_fd, path, stamp, size);
}

static bool add(
        void *user, const char *kernel, const struct launch_class *class)
{
    struct adding *adding = user;
    char name[launch_class_text_size];
    char path[pocl_made_path_size];
    size_t size = 0;
    launch_class_write(name, class);
    if ((size_t)snprintf(path, sizeof path, "%s/%s/%s.so", kernel, name, kernel)
            >= sizeof path)
        return true;
    uint8_t *code = read_code(adding->folder_fd, path, &size);
    if (code != NULL
            && dnnl_cache_program_add_launch_code(adding->program,
                       adding->folder, kernel, name, size, code)
                       == dnnl_success) {
        launches_add_to_binary(adding->build, 0, kernel, class);
        adding->is_any = true;
    }
    free(code);
    return true;
}

bool added_code_put(struct build *build, dnnl_cache_program_t program)
{
    char folder[path_size];
    struct adding adding = {.build = build, .program = program};
    if (!stand_ins_find_folder(folder, build)) return false;
    adding.folder_fd = pocl_folder_open(folder);
    if (adding.folder_fd == file_none) return false;
    adding.folder = pocl_folder_name(folder);
    (void)launches_for_each(build, 0, false, add, &adding);
    (void)file_close(adding.folder_fd);
    return adding.is_any;
}

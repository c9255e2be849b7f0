/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/pocl_stand_ins.h"

#include "src/drivers/pocl_stand_in_file.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All that are compiled when the driver is asked. */
static bool has_named_classes(void)
{
    const char *named = getenv("POCL_BINARY_SPECIALIZE_WG");
    return named != NULL && named[0] != '\0';
}

bool pocl_stand_ins_suit_process(void)
{
    return pocl_stand_ins_suit_environment() && !has_named_classes()
           && !process_memory_is_limited();
}

static const char *next_kernel(
        const struct pocl_stand_ins *stand_ins, const char *name)
{
    if (name == NULL) return stand_ins->kernels;
    name += strlen(name) + 1;
    return name < stand_ins->kernels + stand_ins->kernels_size ? name : NULL;
}

static bool put_all(const struct pocl_stand_ins *stand_ins)
{
    for (const char *name = NULL;
            (name = next_kernel(stand_ins, name)) != NULL;)
        if (!pocl_stand_in_write(stand_ins->folder_fd, name, POCL_ALL_LAUNCHES)
                && errno != EEXIST)
            return false;
    return true;
}

static bool open_folder(struct pocl_stand_ins *stand_ins, const char *folder)
{
    const char *name = pocl_folder_name(folder);
    if (strlen(name) >= sizeof stand_ins->folder) return false;
    stand_ins->folder_fd = pocl_folder_open(folder);
    if (stand_ins->folder_fd == file_none) return false;
    memcpy(stand_ins->folder, name, strlen(name) + 1);
    return pocl_stand_in_is_loadable(folder);
}

bool pocl_stand_ins_place(struct pocl_stand_ins *stand_ins, const char *folder,
        const char *kernels, size_t kernels_size)
{
    *stand_ins = (struct pocl_stand_ins){.folder_fd = file_none};
    if (kernels_size == 0 || kernels[0] == '\0') return false;
    stand_ins->kernels = malloc(kernels_size);
    if (stand_ins->kernels == NULL) return false;
    memcpy(stand_ins->kernels, kernels, kernels_size);
    stand_ins->kernels_size = kernels_size;
    if (open_folder(stand_ins, folder) && put_all(stand_ins)) return true;
    pocl_stand_ins_clear(stand_ins);
    return false;
}

void pocl_stand_ins_clear(struct pocl_stand_ins *stand_ins)
{
    const int fd = stand_ins->folder_fd;
    const char *name = NULL;
    while (fd != file_none && stand_ins->kernels != NULL
            && (name = next_kernel(stand_ins, name)) != NULL)
        pocl_stand_in_remove(fd, name, POCL_ALL_LAUNCHES);
    (void)file_close(fd);
    free(stand_ins->kernels);
    stand_ins->folder_fd = file_none;
    stand_ins->kernels = NULL;
}

bool pocl_stand_ins_are_of(const struct pocl_stand_ins *stand_ins,
        const uint8_t *binary, size_t size)
{
    enum { most_head = 128 }; /* before the name are numbers */
    return stand_ins->folder[0] != '\0'
           && memmem(binary, size < most_head ? size : most_head,
                      stand_ins->folder, strlen(stand_ins->folder))
                      != NULL;
}

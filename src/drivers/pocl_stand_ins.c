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

/* Keeps the names of those that were written. What is there already is the
 * driver's, or of a process that forked this one, or that it forked: who made
 * it removes it. */
static bool put_all(struct pocl_stand_ins *stand_ins)
{
    const char *const end = stand_ins->kernels + stand_ins->kernels_size;
    size_t kept = 0;
    bool is_ok = true;
    for (const char *name = stand_ins->kernels; name < end && is_ok;) {
        const size_t size = strlen(name) + 1;
        if (pocl_stand_in_write(
                    stand_ins->folder_fd, name, POCL_ALL_LAUNCHES)) {
            memmove(stand_ins->kernels + kept, name, size);
            kept += size;
        } else {
            is_ok = errno == EEXIST;
        }
        name += size;
    }
    stand_ins->kernels_size = kept;
    return is_ok;
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
    stand_ins->process = process_number();
    memcpy(stand_ins->kernels, kernels, kernels_size);
    if (open_folder(stand_ins, folder)) {
        stand_ins->kernels_size = kernels_size;
        if (put_all(stand_ins)) return true;
    }
    pocl_stand_ins_clear(stand_ins);
    return false;
}

void pocl_stand_ins_clear(struct pocl_stand_ins *stand_ins)
{
    const char *name = stand_ins->kernels;
    const char *const end = name + stand_ins->kernels_size;
    const bool is_own = stand_ins->process == process_number();
    for (; is_own && name != NULL && name < end; name += strlen(name) + 1)
        pocl_stand_in_remove(stand_ins->folder_fd, name, POCL_ALL_LAUNCHES);
    (void)file_close(stand_ins->folder_fd);
    free(stand_ins->kernels);
    stand_ins->folder_fd = file_none;
    stand_ins->kernels = NULL;
    stand_ins->kernels_size = 0;
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

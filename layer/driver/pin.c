/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/pin.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>

/* A function's address as an object's, as dladdr() takes it. */
union address {
    void (*function)(void);
    const void *object;
};

/* The program itself has no name, and always stays. */
bool pin_code(const void *code)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) != 0
           && (map->l_name[0] == '\0'
                   || dlopen(map->l_name,
                              RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)
                              != NULL);
}

void pin_driver(cl_device_id device)
{
    static const cl_icd_dispatch *_Atomic last;
    const cl_icd_dispatch *dispatch;
    union address address = {NULL};
    memcpy(&dispatch, device, sizeof dispatch); /* as cl_khr_icd has it */
    if (atomic_exchange(&last, dispatch) == dispatch) return;
    memcpy(&address, &dispatch->clBuildProgram, sizeof address);
    (void)pin_code(address.object);
}

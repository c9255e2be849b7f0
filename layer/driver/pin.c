/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/pin.h"

#include "src/platform/library.h"

#include <CL/cl_icd.h>
#include <stdatomic.h>
#include <string.h>

/* A function's address as an object's, as library_keep() takes it. */
union address {
    void (*function)(void);
    const void *object;
};

void pin_driver(cl_device_id device)
{
    static const cl_icd_dispatch *_Atomic last;
    const cl_icd_dispatch *dispatch;
    union address address = {NULL};
    memcpy(&dispatch, device, sizeof dispatch); /* as cl_khr_icd has it */
    if (atomic_exchange(&last, dispatch) == dispatch) return;
    memcpy(&address, &dispatch->clBuildProgram, sizeof address);
    (void)library_keep(address.object);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/exit_hook.h"

#include "src/platform/main_end.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_bool is_set;
static pthread_t hooked; /* the thread that has it, once it is set */
static void (*_Atomic hook)(void);

static void run(void)
{
    atomic_load (&hook)();
}

void exit_hook_try(void (*function)(void))
{
    static struct main_end end = {run};
    if (atomic_load(&is_set)) return;
    atomic_store(&hook, function);
    if (!main_end_call(&end)) return;
    hooked = pthread_self();
    atomic_store(&is_set, true);
}

/* A hook is the thread's that set it, and goes into a child with it alone. */
void exit_hook_after_fork(void)
{
    if (!pthread_equal(hooked, pthread_self())) atomic_store(&is_set, false);
}

bool exit_hook_is_set(void)
{
    return atomic_load(&is_set);
}

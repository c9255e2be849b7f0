/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/exit_hook.h"

#include "src/platform/environment.h"
#include "src/platform/main_end.h"

#include <stdatomic.h>
#include <stddef.h>

static void (*_Atomic hook)(void);
static atomic_long process; /* of the first call; 0: none */

void exit_hook_set(void (*function)(void))
{
    atomic_store(&hook, function);
}

void exit_hook_note_process(void)
{
    long none = 0;
    if (atomic_load_explicit(&process, memory_order_relaxed) == 0)
        (void)atomic_compare_exchange_strong(&process, &none, process_number());
}

bool exit_hook_is_own_process(void)
{
    const long own = atomic_load(&process);
    return own == 0 || own == process_number();
}

void exit_hook_run(void)
{
    void (*function)(void) = atomic_load(&hook);
    if (function != NULL && exit_hook_is_own_process()) function();
}

void exit_hook_try(enum exit_hook_moment moment)
{
    static struct main_end ends[exit_hook_moments] = {
            {exit_hook_run}, {exit_hook_run}};
    static atomic_bool is_tried[exit_hook_moments];
    exit_hook_note_process();
    if (atomic_load_explicit(&is_tried[moment], memory_order_relaxed)
            || !main_end_is_here() || atomic_exchange(&is_tried[moment], true))
        return;
    (void)main_end_call(&ends[moment]);
}

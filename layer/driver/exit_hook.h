/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function that is called before the process is taken down, if the main
 * thread ends it (src/platform/main_end.h says why it must be that one).
 */
#ifndef DNNL_CACHE_LAYER_DRIVER_EXIT_HOOK_H
#define DNNL_CACHE_LAYER_DRIVER_EXIT_HOOK_H

#include <stdbool.h>

/* Sets the hook if this is the main thread and it has not been set. The same
 * function each time. */
void exit_hook_try(void (*function)(void));

/* True if the hook will be called when the main thread ends the process. */
bool exit_hook_is_set(void);

/* For a child of fork(): its only thread is the main one now, whichever it was.
 */
void exit_hook_after_fork(void);

#endif /* DNNL_CACHE_LAYER_DRIVER_EXIT_HOOK_H */

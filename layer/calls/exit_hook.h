/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call before anything of the process is taken down.
 *
 * What atexit() registers is too late for the harvest: compilers have objects
 * that are made at first use (LLVM's in PoCL), the later of them are destroyed
 * before an earlier atexit() function runs, and a driver that is asked for a
 * binary then crashes. The destructors of a thread's own objects come before
 * all of that, when the thread calls exit() or returns from main(). So the hook
 * is one of the main thread's, and can be set on that thread alone.
 */
#ifndef DNNL_CACHE_LAYER_EXIT_HOOK_H
#define DNNL_CACHE_LAYER_EXIT_HOOK_H

#include <stdbool.h>

/* Sets the hook if this is the main thread and it has not been set. The same
 * function each time. */
void exit_hook_try(void (*function)(void));

/* True if the hook will be called when the main thread ends the process. */
bool exit_hook_is_set(void);

/* For a child of fork(): its only thread is the main one now, whichever it was.
 */
void exit_hook_after_fork(void);

#endif /* DNNL_CACHE_LAYER_EXIT_HOOK_H */

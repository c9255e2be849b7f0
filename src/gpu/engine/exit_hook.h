/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exit_hook.h: what the library does before the process is taken down, if the
 * main thread ends it (src/platform/main_end.h says why it must be that one).
 * Not in a child of fork(), and not after _exit().
 */
#ifndef DNNL_CACHE_GPU_EXIT_HOOK_H
#define DNNL_CACHE_GPU_EXIT_HOOK_H

#include <stdbool.h>

/* Of destructors of a thread the one that was registered last runs first: a
 * driver's own, of which the work may need what they destroy, are registered
 * while it compiles. */
enum exit_hook_moment {
    exit_hook_at_first,    /* the driver may not have been called yet */
    exit_hook_after_build, /* it has compiled */
    exit_hook_moments
};

/* What is done; the same function each time. */
void exit_hook_set(void (*function)(void));

/* Sees that it is done, once a moment, if this is the main thread. */
void exit_hook_try(enum exit_hook_moment moment);

/* Does it now, for others who are called when the process ends. */
void exit_hook_run(void);

/* The process is this one, not a child of fork(), from now on. */
void exit_hook_note_process(void);

/* Is this the process that tried, or was noted, first? True if none was. */
bool exit_hook_is_own_process(void);

#endif /* DNNL_CACHE_GPU_EXIT_HOOK_H */

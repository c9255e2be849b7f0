/* SPDX-License-Identifier: Apache-2.0 */
/* session.h: what this process tells dnnl-cache-run while it runs, if it was
 * started under it (run_session.h); else nothing. Any thread. */
#ifndef DNNL_CACHE_LAYER_SETTINGS_SESSION_H
#define DNNL_CACHE_LAYER_SETTINGS_SESSION_H

#include <stdbool.h>

/* Around each call that has the driver compile or link for the application. */
unsigned session_compile_begin(void);
void session_compile_end(unsigned slot, bool is_good);

enum session_count {
    session_created, /* a program of source or IL */
    session_loaded,
    session_kept,
    session_deferred
};
void session_count(enum session_count what);

#endif /* DNNL_CACHE_LAYER_SETTINGS_SESSION_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* session_text.h: what the files hold that put the layer into each session's
 * environment. */
#ifndef DNNL_CACHE_TOOLS_RUN_SESSION_TEXT_H
#define DNNL_CACHE_TOOLS_RUN_SESSION_TEXT_H

#include <stdbool.h>

enum session_form {
    session_environment, /* environment.d */
    session_sh,
    session_csh,
    session_fish,
    session_layers, /* a file of the loader's own folder */
    session_timer   /* a link; it has no text */
};

/* NULL: no memory. The caller frees it. has_timer is noted in it, so that the
 * timer is taken away with it. */
char *session_text(enum session_form form, const char *layer, bool has_timer);

/* Is this text one of ours? */
bool session_text_is_ours(enum session_form form, const char *text);
/* The layer that it names, which the caller frees; NULL: none. */
char *session_text_layer(enum session_form form, const char *text);
bool session_text_has_timer(const char *text);

/* True if every form can name the file. */
bool session_text_can_name(const char *layer);

#endif /* DNNL_CACHE_TOOLS_RUN_SESSION_TEXT_H */

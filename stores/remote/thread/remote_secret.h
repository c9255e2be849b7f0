/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remote_secret.h: passwords, tokens and keys for a server.
 *
 * A part of each module. A file of secrets is readable by its owner alone;
 * links are followed, as containers mount such files by links.
 */
#ifndef DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_SECRET_H
#define DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_SECRET_H

#include "stores/remote/thread/remote_url.h"

/* Reads a file of at most 4096 bytes as text. 0, or an errno value with why in
 * words: what it is and the file's name, nothing of what is in it. */
int remote_secret_file(char **text, const char *what, const char *path,
        char why[remote_why_size]);

/* The first line of a file. It is not empty and has no control characters. */
int remote_secret_line(char **line, const char *what, const char *path,
        char why[remote_why_size]);

/* The same checks for a private key that a library reads by itself. */
int remote_secret_check(
        const char *what, const char *path, char why[remote_why_size]);

/* Copies a variable of the environment as it was when the URL was read; NULL if
 * it was not set, or empty. 0 or ENOMEM. */
int remote_secret_variable(char **value, const struct remote_url *url,
        enum remote_variable variable);

/* Clears and frees. NULL is fine. */
void remote_secret_free(char *text);

#endif /* DNNL_CACHE_STORES_REMOTE_THREAD_REMOTE_SECRET_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* Warnings that would come again and again. */
#ifndef DNNL_CACHE_COMMON_LOG_ONCE_H
#define DNNL_CACHE_COMMON_LOG_ONCE_H

/* Sends what and why as one message: a warning if it is the first of that text
 * in this process, and else at level info. Of very many texts the later ones
 * are at level info, too. Called with no lock held, by any thread. */
void log_warning_once(const char *component, const char *what, const char *why);

#endif /* DNNL_CACHE_COMMON_LOG_ONCE_H */

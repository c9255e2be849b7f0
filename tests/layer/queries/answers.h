/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the query client prints: lines that are equal in every process in which
 * OpenCL answers alike. Handles appear by the names that the client gave them,
 * statuses and parameters by their own, and paths, in which compilers put names
 * of temporary files, not at all. One thread prints at a time.
 */
#ifndef DNNL_CACHE_TESTS_LAYER_QUERIES_ANSWERS_H
#define DNNL_CACHE_TESTS_LAYER_QUERIES_ANSWERS_H

#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>

/* Names the scene that the lines to come belong to. */
void answers_begin(const char *scene);

/* One line. */
void answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "what: CL_SUCCESS"; true if it is. */
bool answer_status(const char *what, cl_int status);

/* Constant text; for a status without a name its number, in a buffer that the
 * next call of the thread overwrites. */
const char *status_name(cl_int status);

/* The text in quotes, with escapes, its paths replaced; the caller frees it. */
char *quoted_text(const char *text, size_t size);

/* A handle is named from here on (the name is copied), and until it is
 * forgotten: drivers give handles again. */
void handle_set_name(const void *handle, const char *name);
void handle_forget(const void *handle);
/* "none" for NULL and "unknown" for what has no name. */
const char *handle_name(const void *handle);

#endif /* DNNL_CACHE_TESTS_LAYER_QUERIES_ANSWERS_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_runs.h: processes of dnnl-cache refresh and of its test client, with
 * a store in the test's directory. */
#ifndef DNNL_CACHE_TESTS_REFRESH_RUNS_H
#define DNNL_CACHE_TESTS_REFRESH_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What a process wrote and returned. The texts live until the next run. */
struct outcome {
    int code; /* 128 + signal */
    const char *out;
    const char *err;
    long most_bytes; /* of memory: it, or a process that it waited for */
};

/* Runs are made on PoCL, or with a fake driver, which compiles at once. Each
 * has a driver cache of its own, which is off. */
void use_fake(bool is_fake);
/* A variable of the next runs; NULL: it is unset. */
void use_variable(const char *name, const char *value);

/* The next runs of refresh can write no file above that size, as if the disk
 * were full; 0: no limit, which use_fake() restores. */
void limit_files(size_t size);

/* The next runs of refresh can have so many descriptors; 0: as this process. */
void limit_descriptors(unsigned most);

/* The client on the store: "note", "run" ... */
struct outcome run_client(const char *command, int count);
/* The same under the layer, whose store it is. */
struct outcome run_under_layer(int count);
/* dnnl-cache refresh of the store, with arguments up to NULL. */
struct outcome run_refresh(const char *first, ...) __attribute__((sentinel));

/* dnnl-cache with arguments up to NULL. */
struct outcome run_program(const char *first, ...) __attribute__((sentinel));
pid_t start_program(const char *first, ...) __attribute__((sentinel));
/* Any program, in the same environment; arguments end with NULL. */
struct outcome run_file(const char *program, const char *const *arguments);
/* The client under the layer, with a store of that name in the test's
 * directory. */
struct outcome run_with_store(const char *name, int count);

/* The same, with what it compiled kept at once. */
struct outcome run_and_keep(const char *name, int count);

/* The same, begun and waited for. */
pid_t start_refresh(const char *first, ...) __attribute__((sentinel));
struct outcome end_refresh(pid_t pid);

/* The process of a worker of that refresh, as soon as there is one. */
pid_t find_worker(pid_t refresh);
/* The same of any process that it has started. */
pid_t find_any_child(pid_t refresh);

/* How many files of the pattern there are in a folder, as soon as there are so
 * many or the refresh ends. */
size_t await_files(
        pid_t refresh, const char *folder, const char *name, size_t count);

/* Redis at a port that takes connections and never answers; the socket is the
 * caller's to close. */
int begin_silent_server(char url[64]);

/* "--json" of a dry run: a number of it. */
long waiting(void);

/* How often a text is in another. */
size_t count_of(const char *text, const char *part);

/* How many files there are in the folder of temporary files. */
size_t count_temporary(void);
/* None is there; a failure names one. */
void expect_no_temporary(void);

/* The path of the store. */
const char *store_path(void);

#endif /* DNNL_CACHE_TESTS_REFRESH_RUNS_H */

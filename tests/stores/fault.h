/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h: system and library calls that fail on request.
 *
 * The linker sends the calls that a store makes through fault.c (--wrap), and
 * SQLite those of its own through fault_sqlite.c; they are counted, and a
 * chosen one fails in one of the ways it can. Calls of other threads, and those
 * before fault_arm() and after fault_disarm(), go through untouched.
 */
#ifndef DNNL_CACHE_TESTS_FAULT_H
#define DNNL_CACHE_TESTS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Most ways in which one call can fail. */
enum { fault_ways = 4 };

/* From here on call number `call` (from 1) fails in way number `way`, if it has
 * so many: others do their work. Only that one, unless `on`: then every later
 * call that can fail does, too. */
void fault_arm(unsigned call, unsigned way, bool on);

/* From now on the calls of that name alone are counted and fail ("flock");
 * NULL: all of them. The text must live as long. */
void fault_only(const char *name);

/* How many calls there were; *what names the fault that was made ("pwrite:
 * ENOSPC"), NULL if none was. Static memory. */
unsigned fault_disarm(const char **what);

/* Sends SQLite's calls here; before SQLite is used for the first time. */
void fault_watch_sqlite(void);

/* From now on the process lives in a system without openat2(). */
void fault_without_openat2(void);

/* From now on no file whose path has this part in it can be opened to be read;
 * NULL: all can. The text must live as long. */
void fault_spoil(const char *part);

/* From now on no file that is there can be opened with O_CREAT, as in a sticky
 * folder of others with fs.protected_regular; false: it can. */
void fault_protect_files(bool protect);

/* Called after each folder that is made, with what mkdirat() got, as another
 * user might act then; NULL: nothing is. */
void fault_after_folder(void (*act)(int fd, const char *path));

/* Lets the clock of the day be so many seconds off; 0: right. */
void fault_set_clock(int64_t seconds);

/* ---- For those who stand in for a call ----------------------------------- */

/* Ways beyond errno values. */
enum { fault_none = 0, fault_cut_short = -1 };

/* What is to happen to this call: nothing, an errno value, or another way. ways
 * ends with 0. */
int fault_next(const char *name, const int ways[fault_ways + 1]);
#define FAULT(name, ...) \
    fault_next(name, (const int[fault_ways + 1]){__VA_ARGS__, 0})

/* Does everything fail since the first fault? */
bool fault_lasts(void);

/* Sets errno and is true if the call is to fail like that. */
bool fault_fails(int way);

#endif /* DNNL_CACHE_TESTS_FAULT_H */

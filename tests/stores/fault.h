/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault.h: system and library calls that fail on request.
 *
 * The linker sends the calls that a store makes through fault.c (--wrap), which
 * counts them and lets a chosen one fail in one of the ways it can. Calls of
 * other threads, and those before fault_arm() and after fault_disarm(), go
 * through untouched.
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

/* How many calls there were; *what names the fault that was made ("pwrite:
 * ENOSPC"), NULL if none was. Static memory. */
unsigned fault_disarm(const char **what);

/* From now on the process lives in a system without openat2(). */
void fault_without_openat2(void);

/* From now on no file whose path has this part in it can be opened to be read;
 * NULL: all can. The text must live as long. */
void fault_spoil(const char *part);

/* Lets the clock of the day be so many seconds off; 0: right. */
void fault_set_clock(int64_t seconds);

#endif /* DNNL_CACHE_TESTS_FAULT_H */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * environment.h: variables, and who this process is. Any thread, unless it says
 * otherwise.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_ENVIRONMENT_H
#define DNNL_CACHE_SRC_PLATFORM_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A variable that may say where files are, or what is run: NULL also in a
 * process that has more rights than who started it. */
const char *environment_get(const char *name);

/* Has it? (setuid, setgid, file capabilities) */
bool environment_is_privileged(void);

/* For programs whose main is ours, before they start threads. 0 or an errno
 * value. */
int environment_set(const char *name, const char *value);
void environment_unset(const char *name);

/* PATH as the system has it. */
enum { environment_path_size = 256 };
bool environment_usual_path(char path[environment_path_size]);

/* Sets it, unless it is set. 0 or an errno value. */
int environment_set_usual_path(void);

/* "NAME=value" of all, up to a NULL; valid until one is set. */
char **environment_all(void);

/* This process's number, as it is in files' names. */
long process_number(void);

/* The user whose rights it has. */
uint32_t process_user(void);

/* The name by which the program was started, without folders. */
const char *process_program_name(void);

/* Processors that it may use; at least 1. */
unsigned process_processors(void);

/* The most bytes of memory that this process has had at once since its program
 * began. */
uint64_t process_peak_memory(void);

/* Processor time of all processes that this one has started and waited for, and
 * of those that they waited for. */
uint64_t process_children_ns(void);

/* May the system refuse this process memory that the machine has? True also if
 * it does not tell. */
bool process_memory_is_limited(void);

/* Bytes of memory that the process of that number has now; 0: unknown. */
uint64_t process_memory_of(long number);

/* Is there a process of that number? */
bool process_is_there(long number);

/* A write that nobody reads, or beyond a limit, is an error like any other, and
 * not the end of the process. For programs whose main is ours. */
void process_ignore_write_signals(void);

/* Standard streams that are closed at the start would be given to the next
 * files that are opened, and be written to. What stands in for standard output
 * cannot be written, so that its loss is noticed. False: there are none for it.
 */
bool process_fill_streams(void);

/* Does what is written there go to a terminal? */
bool process_has_terminal(FILE *stream);

/* False if a stream is a pipe that nobody will read any more. */
bool process_has_reader(FILE *stream);

#endif /* DNNL_CACHE_SRC_PLATFORM_ENVIRONMENT_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* command_file.h: the file that a command starts. */
#ifndef DNNL_CACHE_TOOLS_RUN_COMMAND_FILE_H
#define DNNL_CACHE_TOOLS_RUN_COMMAND_FILE_H

#include <limits.h>
#include <stdbool.h>

/* As execvp() finds it; links are not followed. */
bool command_file_find(char path[PATH_MAX], const char *command);

/* What runs the file: the interpreter of a script ("#!"), the program that
 * env(1) finds there, or path itself, again found as above. */
bool command_file_find_program(char program[PATH_MAX], const char *path);

bool command_file_is_script(const char *path);

#endif /* DNNL_CACHE_TOOLS_RUN_COMMAND_FILE_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* command_file.h: the file that a command starts. */
#ifndef DNNL_CACHE_TOOLS_RUN_COMMAND_FILE_H
#define DNNL_CACHE_TOOLS_RUN_COMMAND_FILE_H

#include "src/platform/library.h"

#include <stdbool.h>

/* As a shell finds it; links are not followed. */
bool command_file_find(char path[path_size], const char *command);

/* What runs the file: the interpreter of a script ("#!"), the program that
 * env(1) finds there, or path itself, again found as above. */
bool command_file_find_program(char program[path_size], const char *path);

bool command_file_is_script(const char *path);

#endif /* DNNL_CACHE_TOOLS_RUN_COMMAND_FILE_H */

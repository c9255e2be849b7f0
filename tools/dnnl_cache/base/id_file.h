/* SPDX-License-Identifier: Apache-2.0 */
/* id_file.h: IDs in a text file, one a line in hexadecimal digits, for servers
 * that cannot list what they have. */
#ifndef DNNL_CACHE_TOOLS_BASE_ID_FILE_H
#define DNNL_CACHE_TOOLS_BASE_ID_FILE_H

#include "tools/dnnl_cache/base/tool.h"

/* Writes one line. */
void id_file_write(FILE *out, size_t id_size, const uint8_t *id);

/* Calls visit for each ID of a file, or of standard input ("-"), until it
 * returns anything but exit_ok, which is returned. Empty lines are skipped.
 * Else a message and exit_io: the file cannot be read, or a line is no ID. */
enum tool_exit id_file_read(struct tool *tool, const char *path,
        enum tool_exit (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user);

#endif /* DNNL_CACHE_TOOLS_BASE_ID_FILE_H */

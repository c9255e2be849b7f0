/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seed_writer.h: writes a seed, a store in one file that is only read.
 *
 * The file is a pack: a process that opens it reads the pages that it needs,
 * and finds an entry without reading the others, as it would not in an archive.
 */
#ifndef DNNL_CACHE_TOOLS_ARCHIVE_SEED_WRITER_H
#define DNNL_CACHE_TOOLS_ARCHIVE_SEED_WRITER_H

#include "tools/dnnl_cache/archive/archive.h"
#include "tools/dnnl_cache/base/tool.h"

struct seed_writer;

/* Begins a seed. It becomes visible under path once it is finished. Each of
 * these: exit_ok, or a message and exit_io. */
enum tool_exit seed_writer_open(
        struct seed_writer **writer, struct tool *tool, const char *path);
enum tool_exit seed_writer_add(
        struct seed_writer *writer, const struct archive_entry *entry);
/* *bytes: the size of the file, which has mode 0444 then. */
enum tool_exit seed_writer_finish(struct seed_writer *writer, uint64_t *bytes);

/* Removes a seed that was not finished. NULL is fine. */
void seed_writer_close(struct seed_writer *writer);

#endif /* DNNL_CACHE_TOOLS_ARCHIVE_SEED_WRITER_H */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_vfs.h: SQLite's file system for packs.
 *
 * SQLite's own one has descriptors with any numbers, does not say which, and
 * goes on with them when an application that becomes a daemon has closed them:
 * into its files. A connection that is opened for each call instead takes
 * several times as long as the call (docs/how_it_works/stores.md). So the
 * database and its journal are opened here, as kept_descriptor.h has it. All
 * that needs no descriptor is left to SQLite's own.
 *
 * The locks are those of SQLite, byte for byte, so that its tools and older
 * versions of ours can be at the same file. They belong to the open file and
 * not to the process (F_OFD_SETLK): two connections of a process lock one
 * another out with no account of their own, and closing another descriptor of
 * the file frees none of them.
 */
#ifndef DNNL_CACHE_STORES_PACK_PACK_VFS_H
#define DNNL_CACHE_STORES_PACK_PACK_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

/* For sqlite3_open_v2(). NULL: no memory. */
const char *pack_vfs_name(void);

/* Is the database's descriptor still its own? Of a connection that this file
 * system has opened. */
bool pack_vfs_is_ours(sqlite3 *db);

#endif /* DNNL_CACHE_STORES_PACK_PACK_VFS_H */

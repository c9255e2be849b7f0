/* SPDX-License-Identifier: Apache-2.0 */
/* Times of stores are times of file systems. */
#ifndef BENCH_DISK_FORMAT_H
#define BENCH_DISK_FORMAT_H

/* The name of the file system that a folder is in: "ext4". Static. */
const char *disk_format_of(const char *folder);

#endif /* BENCH_DISK_FORMAT_H */

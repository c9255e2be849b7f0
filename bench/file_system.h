/* SPDX-License-Identifier: Apache-2.0 */
/* Times of stores are times of file systems. */
#ifndef BENCH_FILE_SYSTEM_H
#define BENCH_FILE_SYSTEM_H

/* The name of the file system that a folder is in: "ext4". Static. */
const char *file_system_of(const char *folder);

#endif /* BENCH_FILE_SYSTEM_H */

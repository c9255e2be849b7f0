/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h: files, by descriptors, relative to folders.
 *
 * A descriptor is a number, file_none for none; file_here stands for the
 * working directory where a folder is asked for. All are closed on exec(), and
 * none has a number that the application's next files may get
 * (kept_descriptor.h). Functions return 0 or an errno value, and may change
 * errno; besides the usual values ELOOP    a link, a FIFO, a folder ... where a
 * plain file should be, EBADMSG  a file shorter than it said. Any thread.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_FILE_H
#define DNNL_CACHE_SRC_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { file_none = -1, file_here = -100 };
enum { file_name_size = 256 }; /* of the longest name, with its NUL */
enum { file_standard_input, file_standard_output, file_standard_error };

/* ---- Facts --------------------------------------------------------------- */

enum file_kind { file_is_other, file_is_plain, file_is_folder, file_is_link };

/* What the system says of a file; all 0 where it cannot. */
struct file_facts {
    enum file_kind kind;
    uint64_t size;        /* bytes */
    uint64_t device;      /* with number: which file it is */
    uint64_t number;      /* inode */
    uint64_t links;       /* names */
    uint64_t modified_ns; /* since the epoch: its bytes */
    uint64_t changed_ns;  /* and its facts */
    uint32_t owner;       /* user */
    uint32_t group;
    uint32_t mode; /* permissions alone, 07777 */
};

enum {
    file_others_write = 022,
    file_may_run = 0111,
    file_only_owners_rename = 01000 /* and remove, in such a folder */
};

/* Of an open file. */
int file_facts(struct file_facts *facts, int fd);

/* Of what has a name; of what a link leads to. */
int file_facts_at(struct file_facts *facts, int folder, const char *path);

/* Of the link itself, if it is one. */
int file_facts_of_link(struct file_facts *facts, int folder, const char *path);

/* When it was made, in nanoseconds since the epoch; of the link itself, if it
 * is one. ENOTSUP: its file system does not know. */
int file_birth_of_link(uint64_t *made_ns, int folder, const char *path);

/* Is there something that this user may read, write, or run? errno says why
 * not. */
bool file_is_there(const char *path);
bool file_may_be_read(const char *path);
bool file_may_be_run(const char *path);
bool file_may_be_written(int folder, const char *path);

bool file_is_same(const struct file_facts *one, const struct file_facts *other);

/* Of this user, by the effective number. */
bool file_is_own(const struct file_facts *facts);

/* ---- Opening ------------------------------------------------------------- */

enum file_flags {
    file_for_reading = 1,
    file_for_writing = 2,
    file_for_appending = 4, /* with file_for_writing */
    file_made_if_missing = 8,
    file_must_be_new = 16,    /* with file_made_if_missing: EEXIST otherwise */
    file_emptied = 32,        /* with file_for_writing */
    file_must_be_folder = 64, /* ENOTDIR otherwise */
    file_no_link = 128,       /* ELOOP if the last component is a link */
    file_beneath = 256,       /* no link on the way, nor out of the folder */
    file_no_wait = 512,       /* for a FIFO's writer, for a terminal */
    file_kept = 1024,         /* open beyond this call of the application's */
    file_of_any_user = 2048   /* with file_made_if_missing: in a sticky folder,
                                 too, where the kernel guards programs that do
                                 not look whose file they got */
};

/* The caller closes *fd (file_none if it fails). mode: of a file that is made.
 * Neither for reading nor for writing: to be told of, or a folder to open from.
 */
int file_open(
        int *fd, int folder, const char *path, unsigned flags, unsigned mode);

/* A plain file, to read at least, and its facts: no link, no FIFO, no wait. */
int file_open_plain(int *fd, struct file_facts *facts, int folder,
        const char *path, unsigned more_flags, unsigned mode);

/* A plain file that a person named: links are followed. EISDIR for a folder,
 * EINVAL for what else is none; it is not waited for. */
int file_open_named(int *fd, struct file_facts *facts, const char *path);

/* A file with these bytes and without a name, for a process that is started
 * with it. The caller closes *fd. */
int file_in_memory(int *fd, const void *bytes, size_t size);

/* What is written to the one end can be read from the other; neither is a
 * standard stream's number. For programs whose main is ours: the numbers are
 * low. The caller closes both. */
int file_pipe(int *reading, int *writing);

/* The error value: some file systems tell of a failed write only here. Closed
 * it is all the same. file_none is fine. */
int file_close(int fd);

/* A stream of the C library's on it, which closes it. NULL: errno says why, and
 * the descriptor stays. */
FILE *file_stream(int fd, const char *mode);
int file_of_stream(FILE *stream);

/* ---- Bytes --------------------------------------------------------------- */

/* Exactly so many; EBADMSG if there are fewer. */
int file_read_at(int fd, void *data, size_t size, uint64_t offset);

/* The same of one reading, which may be less than there is. */
int file_read_some_at(
        size_t *got, int fd, void *data, size_t size, uint64_t offset);

/* As many as there are, up to size; *got tells. */
int file_read_up_to(
        size_t *got, int fd, void *data, size_t size, uint64_t offset);

/* What there is now, of a file, pipe or terminal; *got 0 at its end. */
int file_read_some(size_t *got, int fd, void *data, size_t size);

/* All of them, in as many calls as it takes. Neither SIGXFSZ nor SIGPIPE is
 * sent. ENOSPC if nothing more can be written. */
int file_write_all(int fd, const void *data, size_t size);
int file_write_at(int fd, const void *data, size_t size, uint64_t offset);

/* The same of one that others may have made not to wait: so long for room. */
int file_write_patiently(
        int fd, const void *data, size_t size, unsigned patience_ms);

/* Likewise without a signal. */
int file_set_size(int fd, uint64_t size);

/* Room on the disk for so many bytes from the start, without changing any. */
int file_reserve(int fd, uint64_t size);

/* What was opened file_for_appending writes where it is told to from now on. */
int file_end_appending(int fd);

/* To the disk: the bytes and what is needed to read them, or all facts. */
int file_sync_data(int fd);
int file_sync(int fd);

/* The same by the system itself, for programs that have an fsync() and an
 * fdatasync() of their own; the result is theirs. */
int file_sync_by_system(int fd, bool data_alone);

/* All of a plain file of at most `most` bytes (EFBIG), with a NUL after them,
 * into memory that the caller frees. */
int file_read_whole(uint8_t **data, size_t *size, int folder, const char *path,
        uint64_t most);

/* The same of one that is open; ELOOP if it is no plain file. */
int file_read_open(uint8_t **data, size_t *size, int fd, uint64_t most);

/* A file with these bytes alone, and no link: a new one, or, unless the flags
 * have file_must_be_new, in place of those that it had. What fails halfway
 * stays. */
int file_write_whole(int folder, const char *name, unsigned more_flags,
        unsigned mode, const void *data, size_t size);

/* A piece of a file to be written. */
struct file_part {
    const void *data;
    size_t size;
};

/* A file of that name with these bytes in one step: readers see the old one or
 * the new one. It is made in the folder scratch (of the same file system) under
 * a name that nobody has. exact: with this mode, whatever the umask. */
enum file_durability { file_durability_none, file_durability_data };
int file_replace(int scratch, int folder, const char *name,
        const struct file_part *parts, size_t count, unsigned mode, bool exact,
        enum file_durability durability);

/* The same in place: EEXIST if the name is taken. It is removed again if it
 * fails. */
int file_write_new(int folder, const char *name, const struct file_part *parts,
        size_t count, unsigned mode, bool exact,
        enum file_durability durability);

/* An empty file, which is not opened; EEXIST if the name is taken. */
int file_make(int folder, const char *name, unsigned mode);

/* ---- Names --------------------------------------------------------------- */

/* over: what has the name goes; otherwise EEXIST. */
int file_rename(
        int from, const char *name, int to, const char *to_name, bool over);

/* A second name for a file; of a link, for the link itself. */
int file_link(int from, const char *name, int to, const char *to_name);

int file_remove(int folder, const char *name);

/* A link that leads there; EEXIST if the name is taken. */
int file_make_link(int folder, const char *name, const char *target);

/* Where a link leads, as it says. EINVAL: it is not a link; ENAMETOOLONG. */
int file_link_target(
        char *target, size_t capacity, int folder, const char *name);

/* The name that an open file has, or had, from the root on. ENAMETOOLONG. */
int file_name_of(char *path, size_t capacity, int fd);

int file_set_mode(int fd, unsigned mode);
int file_set_mode_at(int folder, const char *name, unsigned mode);
int file_set_owner(int fd, uint32_t owner, uint32_t group);

/* It was used last now; or it was changed last then. Of a link, the link. */
int file_touch(int folder, const char *name);
int file_set_time(int folder, const char *name, uint64_t modified_ns);

/* A name that nobody has: of process, time and chance. */
enum { file_unique_size = 64 };
void file_unique_name(char name[file_unique_size], const char *prefix);

/* ---- Locks --------------------------------------------------------------- */

/* Between open files of all processes; closing it, or the end of the process,
 * frees it. wait_ms 0: EWOULDBLOCK at once; else ETIMEDOUT. */
enum file_lock { file_lock_shared, file_lock_alone };
int file_lock(int fd, enum file_lock kind, unsigned wait_ms);
int file_unlock(int fd);

/* The same until that time of clock_ns(), or ETIMEDOUT. */
int file_lock_until(int fd, enum file_lock kind, uint64_t deadline_ns);

/* Of some of its bytes, which the file need not have, for this open file alone;
 * size 0: of all from there on. A lock of the other kind that this one has on
 * them is exchanged. EAGAIN: another one has them. */
int file_lock_range(int fd, enum file_lock kind, uint64_t from, uint64_t size);
int file_unlock_range(int fd, uint64_t from, uint64_t size);

/* Has another one a lock on them that keeps this one from file_lock_alone? */
int file_range_is_locked(bool *locked, int fd, uint64_t from, uint64_t size);

/* Of one byte. False: another one has it. True also where there are no such
 * locks. */
bool file_lock_byte(int fd, uint64_t offset);
void file_unlock_byte(int fd, uint64_t offset);

#endif /* DNNL_CACHE_SRC_PLATFORM_FILE_H */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_descriptor.h: descriptors in a process whose descriptors are another's.
 *
 * An application may close every descriptor that it does not know, as one does
 * that becomes a daemon, and gets their numbers for files of its own. So what
 * is open during one call has a number that the application's next files do not
 * get, and what is open for longer is looked at before each use: is it still
 * what was opened? Then what is there belongs to the application, and is
 * neither written to nor closed. What a thread of the application's only reads
 * within a call keeps its number: nothing is written to it, and the application
 * knows of the call.
 *
 * docs/how_it_works/threading.md lists what is kept, and says what is promised
 * if another thread closes descriptors at this very moment.
 */
#ifndef DNNL_CACHE_PLATFORM_KEPT_DESCRIPTOR_H
#define DNNL_CACHE_PLATFORM_KEPT_DESCRIPTOR_H

#include "src/platform/file.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The kernel gives the lowest number that is free. */
enum { kept_descriptor_lowest = 64 };

/* Has the kernel make room for such numbers. It does so at once while the
 * process has one thread, and later makes whoever needs the first one wait for
 * milliseconds. */
void kept_descriptor_make_room(void);

/* Gives a descriptor that was just made a number of at least
 * kept_descriptor_lowest, with O_CLOEXEC, or one above standard error where the
 * process may have none so high. Returns that number; the former one if there
 * is no other, and -1 for -1; errno stays. Another thread of the application
 * may have closed the number meanwhile, or have put a file of its own there,
 * which is left alone: -1, errno is EBADF or ESTALE.
 *
 * Of what has no name: a socket, an inotify instance, a file in memory. Such
 * ones of the application's are not told from ours. */
int kept_descriptor_raise(int fd);

/* Of a file or a folder: what the name leads to now, or itself, if it is a link
 * and not to be followed. -1 and EAGAIN, and it is closed, if the name went, or
 * has another file by now. */
int kept_descriptor_raise_named(
        int fd, int folder, const char *path, bool follow);

/* The thread that calls is one of ours, until it ends. What it only reads has
 * such a number, too: the application does not know when it is at work. */
void kept_descriptor_note_thread(void);
bool kept_descriptor_is_own_thread(void);

/* openat() of such a number; O_CLOEXEC is added. */
int kept_descriptor_openat(int dirfd, const char *path, int flags, mode_t mode);

/* A descriptor that is kept between calls. */
struct kept_descriptor {
    int fd; /* -1: none */
    unsigned serial;
    bool is_marked;
    uint64_t device;
    uint64_t inode;
};

#define KEPT_DESCRIPTOR_NONE ((struct kept_descriptor){.fd = -1})

/* Keeps the descriptor, with a number as above, of what has no name or was
 * raised already. On failure it is closed if it is ours, and kept is none. 0 or
 * an errno value. */
int kept_descriptor_keep(struct kept_descriptor *kept, int fd);

/* Remembers a descriptor whose number stays. It is not closed on failure. 0 or
 * an errno value. */
int kept_descriptor_note(struct kept_descriptor *kept, int fd);

/* Is the number still that of what was kept? False for none. */
bool kept_descriptor_is_ours(const struct kept_descriptor *kept);

/* The same as kept_descriptor_is_ours(), and tells the file: all 0 of one of
 * ours of which the system says nothing any more. */
bool kept_descriptor_look(
        const struct kept_descriptor *kept, struct file_facts *facts);

/* Closes it if it is ours; kept is none then. Returns 0, or the errno value of
 * a close() that failed: some file systems report a failed write only then. */
int kept_descriptor_close(struct kept_descriptor *kept);

#endif /* DNNL_CACHE_PLATFORM_KEPT_DESCRIPTOR_H */

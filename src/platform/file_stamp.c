/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file_stamp.h"

#include "src/platform/clock.h"
#include "src/platform/file_system.h"
#include "src/platform/library.h"
#include "src/platform/linux_calls.h"

#include <fcntl.h>
#include <linux/major.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* An overlay (containers) shows the inodes of the file systems below it, which
 * it does not name. Two things show that those can be relied on:
 * - the file has the device of its folder. Folders always have the overlay's;
 *   files have it only if the overlay's inode numbers are stable, which it does
 *   not promise for layers on NFS or FUSE;
 * - the file was changed later than it was modified, as installing a package
 *   does. File systems that are images (squashfs, EROFS, ISO 9660) have one
 *   time alone, which another image may have as well. */
static bool is_stable_in_overlay(
        const struct file_facts *facts, const char *path)
{
    char folder[path_size];
    struct file_facts of_folder;
    const char *slash = strrchr(path, '/');
    const size_t length = (size_t)(slash - path);
    if (length >= sizeof folder || facts->changed_ns <= facts->modified_ns)
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return file_facts_at(&of_folder, file_here, length > 0 ? folder : "/") == 0
           && of_folder.device == facts->device;
}

/* A file system may be an image, made by a tool and mounted like a disk;
 * another image in the same place may have the same numbers and times. Tools
 * that make images write times in whole seconds, kernels do so once in a
 * billion times. */
static bool is_perhaps_of_an_image(const struct file_facts *facts)
{
    return facts->changed_ns % 1000000000u == 0;
}

bool file_stamp_is_reliable(uint64_t *mount, uint64_t *system, int fd,
        const struct file_facts *facts, const char *path)
{
    *mount = 0;
    if (major(facts->device) == LOOP_MAJOR) return false; /* an image */
    /* What is written to a mount while it lasts gets new times. A filter may
     * forbid to ask. */
    if (is_perhaps_of_an_image(facts)
            && linux_mount_of(mount, fd, facts, path) != 0)
        return false;
    if (*system == 0 && fd >= 0) *system = file_system_type(fd);
    const enum file_stamps stamps =
            file_system_of_type((unsigned long)*system).stamps;
    return stamps == file_stamps_are_kept
           || (stamps == file_stamps_are_of_layers
                   && is_stable_in_overlay(facts, path));
}

uint64_t file_stamp_clock_ns(void)
{
    return clock_read_ns(CLOCK_REALTIME_COARSE);
}

static char boot_id[file_stamp_boot_size];
static pthread_once_t boot_once = PTHREAD_ONCE_INIT;

/* Without /proc nothing tells two boots, whose devices may have the same
 * numbers, apart. */
static void read_boot_id(void)
{
    enum { length = file_stamp_boot_size - 1 };
    char text[file_stamp_boot_size] = "";
    size_t size;
    int fd;
    if (file_open(&fd, file_here, "/proc/sys/kernel/random/boot_id",
                file_for_reading | file_no_wait, 0)
            != 0)
        return;
    const int error = file_read_some(&size, fd, text, length);
    (void)file_close(fd);
    if (error == 0 && size == length
            && strspn(text, "0123456789abcdef-") >= length)
        memcpy(boot_id, text, length);
}

const char *file_stamp_boot(void)
{
    (void)pthread_once(&boot_once, read_boot_id);
    return boot_id;
}

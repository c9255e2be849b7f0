/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/shared_memory.h"

#include "src/platform/file.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *map(int fd, size_t size)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at != MAP_FAILED ? at : NULL;
}

int shared_memory_make(void **memory, size_t size, const char *name)
{
    enum { seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
    const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    *memory = NULL;
    if (fd < 0) return file_none;
    if (file_set_size(fd, size) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0)
        *memory = map(fd, size);
    if (*memory != NULL) return fd;
    (void)file_close(fd);
    return file_none;
}

void *shared_memory_open(const char *path, size_t size)
{
    void *memory = NULL;
    struct file_facts facts;
    int fd;
    if (file_open(&fd, file_here, path,
                file_for_reading | file_for_writing | file_no_wait, 0)
            != 0)
        return NULL;
    /* Only a file in memory has seals: a path that leads elsewhere does no
     * harm. */
    const int seals = fcntl(fd, F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0
            && file_facts(&facts, fd) == 0 && file_is_own(&facts)
            && facts.size == size)
        memory = map(fd, size);
    (void)file_close(fd);
    return memory;
}

void shared_memory_close(void *memory, size_t size)
{
    if (memory != NULL) (void)munmap(memory, size);
}

/* Between processes: not FUTEX_PRIVATE. */
void shared_memory_wait(
        atomic_uint_least32_t *word, uint32_t value, int timeout_ms)
{
    const struct timespec timeout = {
            timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    (void)syscall(SYS_futex, word, FUTEX_WAIT, value,
            timeout_ms >= 0 ? &timeout : NULL, NULL, 0);
}

void shared_memory_wake(atomic_uint_least32_t *word)
{
    (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

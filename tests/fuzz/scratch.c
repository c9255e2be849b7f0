/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int remove_one(
        const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts;
    (void)kind;
    (void)place;
    (void)remove(path);
    return 0;
}

static void remove_all(void)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *scratch_folder(void)
{
    if (folder[0] != '\0') return folder;
    strcpy(folder, "/dev/shm/dnnl_cache_fuzz_XXXXXX");
    if (mkdtemp(folder) == NULL) {
        strcpy(folder, "/tmp/dnnl_cache_fuzz_XXXXXX");
        REQUIRE(mkdtemp(folder) != NULL);
    }
    REQUIRE(atexit(remove_all) == 0);
    return folder;
}

void scratch_path(char path[scratch_path_size], const char *name)
{
    REQUIRE(snprintf(path, scratch_path_size, "%s/%s", scratch_folder(), name)
            < scratch_path_size);
}

static void make_folders(char *path)
{
    for (char *at = path + strlen(folder) + 1; (at = strchr(at, '/')) != NULL;
            at++) {
        *at = '\0';
        REQUIRE(mkdir(path, 0700) == 0 || errno == EEXIST);
        *at = '/';
    }
}

static void write_all(int fd, const void *data, size_t size)
{
    REQUIRE(fd >= 0);
    REQUIRE(size == 0 || write(fd, data, size) == (ssize_t)size);
}

void scratch_write(const char *name, const void *data, size_t size)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    char path[scratch_path_size];
    scratch_path(path, name);
    int fd = open(path, flags, 0600);
    if (fd < 0 && errno == ENOENT) {
        make_folders(path);
        fd = open(path, flags, 0600);
    }
    write_all(fd, data, size);
    (void)close(fd);
}

unsigned char *scratch_read(const char *name, size_t *size)
{
    char path[scratch_path_size];
    struct stat facts;
    scratch_path(path, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    REQUIRE(fstat(fd, &facts) == 0);
    *size = (size_t)facts.st_size;
    unsigned char *data = malloc(*size > 0 ? *size : 1);
    REQUIRE(data != NULL && read(fd, data, *size) == (ssize_t)*size);
    (void)close(fd);
    return data;
}

bool scratch_remove(const char *name)
{
    char path[scratch_path_size];
    scratch_path(path, name);
    return remove(path) == 0;
}

int scratch_file(char path[scratch_path_size], const void *data, size_t size)
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    write_all(fd, data, size);
    (void)snprintf(path, scratch_path_size, "/proc/self/fd/%d", fd);
    return fd;
}

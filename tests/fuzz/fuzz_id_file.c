/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of IDs for --id-list. What is read is no empty ID, and is
 * the same when it is written and read again; what is refused is told.
 */
#include "fuzz.h"
#include "tools/dnnl_cache/base/id_file.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct digest {
    size_t count;
    uint64_t value;
    FILE *again; /* NULL: read only */
};

static enum tool_exit take(void *user, size_t id_size, const uint8_t *id)
{
    struct digest *digest = user;
    REQUIRE(id_size > 0);
    digest->count++;
    for (size_t i = 0; i < id_size; i++)
        digest->value = (digest->value ^ id[i]) * 0x100000001b3u;
    digest->value += id_size;
    if (digest->again != NULL) id_file_write(digest->again, id_size, id);
    return exit_ok;
}

/* A file in memory, by a name. */
static int make_file(char path[64], const void *bytes, size_t size)
{
    const int fd = memfd_create("ids", MFD_CLOEXEC);
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, bytes, size) == (ssize_t)size);
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    char *complaint = NULL;
    char *written = NULL;
    size_t complaint_size = 0;
    size_t written_size = 0;
    struct options options = {.store = NULL};
    struct tool tool = {.options = &options};
    struct digest first = {0, 0, open_memstream(&written, &written_size)};
    struct digest second = {0, 0, NULL};
    tool.err = open_memstream(&complaint, &complaint_size);
    REQUIRE(tool.err != NULL && first.again != NULL);
    int fd = make_file(path, data, size);
    const enum tool_exit code = id_file_read(&tool, path, take, &first);
    (void)close(fd);
    (void)fclose(tool.err);
    (void)fclose(first.again);
    REQUIRE((code == exit_ok) == (complaint_size == 0));
    tool.err = stderr;
    fd = make_file(path, written, written_size);
    REQUIRE(id_file_read(&tool, path, take, &second) == exit_ok);
    (void)close(fd);
    REQUIRE(second.count == first.count && second.value == first.value);
    free(complaint);
    free(written);
    return 0;
}

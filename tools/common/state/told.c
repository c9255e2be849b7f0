/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/told.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* A mark's time may be a little later than the clock that is read here: a file
 * system may have a finer or another one. */
static const uint64_t day_ns = UINT64_C(86400) * 1000000000u;
static const uint64_t clocks_differ_ns = UINT64_C(60) * 1000000000u;

/* A folder of this user's alone; file_none: it is none. */
static int open_own(const char *path)
{
    struct file_facts facts;
    int fd;
    if (path == NULL || path[0] != '/'
            || file_open(&fd, file_here, path,
                       file_for_reading | file_must_be_folder, 0)
                       != 0)
        return file_none;
    if (file_facts(&facts, fd) == 0 && file_is_own(&facts)
            && (facts.mode & file_others_write) == 0)
        return fd;
    (void)file_close(fd);
    return file_none;
}

static int open_folder(void)
{
    char path[64];
    const char *temporary = environment_get("TMPDIR");
    (void)snprintf(
            path, sizeof path, "/run/user/%lu", (unsigned long)process_user());
    int fd = open_own(environment_get("XDG_RUNTIME_DIR"));
    if (fd == file_none) fd = open_own(path);
    if (fd == file_none) fd = open_own("/run"); /* root's */
    if (fd == file_none)
        (void)file_open(&fd, file_here,
                temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                file_for_reading | file_must_be_folder, 0);
    return fd;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Of a mark that is there already. */
static bool is_old(int folder, const char *name)
{
    struct file_facts facts;
    const uint64_t now_ns = clock_epoch_ns();
    if (file_facts_of_link(&facts, folder, name) != 0
            || facts.kind != file_is_plain || !file_is_own(&facts))
        return true;
    if (facts.modified_ns <= now_ns + clocks_differ_ns
            && now_ns < facts.modified_ns + day_ns)
        return false;
    (void)file_touch(folder, name);
    return true;
}

static bool is_due_in(int folder, const char *text)
{
    char name[80];
    int fd;
    (void)snprintf(name, sizeof name, "dnnl_cache-told-%lu-%016" PRIx64,
            (unsigned long)process_user(), hash_of(text));
    const int error = file_open(&fd, folder, name,
            file_for_writing | file_made_if_missing | file_must_be_new
                    | file_no_link,
            0600);
    (void)file_close(fd);
    return error != EEXIST || is_old(folder, name);
}

bool told_is_due(const char *text)
{
    const int saved = errno;
    const int folder = open_folder();
    const bool is_due = folder == file_none || is_due_in(folder, text);
    (void)file_close(folder);
    errno = saved;
    return is_due;
}

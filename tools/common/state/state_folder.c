/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/state/state_folder.h"

#include "src/platform/file.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { open_flags = file_for_reading | file_must_be_folder | file_no_link };

const char *state_folder_suffix(bool is_pack)
{
    return is_pack ? "-layer" : "/layer";
}

/* Code runs because of what is in there: a crash marker can send a program to
 * the compiler. Others must not be able to make that happen. */
static bool is_safe(int folder)
{
    struct file_facts facts;
    return file_facts(&facts, folder) == 0
           && (file_is_own(&facts) || facts.owner == 0)
           && (facts.mode & file_others_write) == 0;
}

/* Root may make folders anywhere. One of root's in another user's store would
 * shut out that user, whose it is to make. */
static bool may_have_ours(int parent)
{
    struct file_facts facts;
    return file_facts(&facts, parent) == 0
           && (file_is_own(&facts) || facts.owner == 0);
}

/* Its parent is the store's to make. It stays open meanwhile: who owns the
 * place could put another folder there. Another process may make ours, too. */
static int make_and_open(int *folder, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t size = (size_t)(name - path);
    char *above = malloc(size + sizeof ".");
    int parent;
    if (above == NULL) return ENOMEM;
    memcpy(above, path, size);
    strcpy(above + size, ".");
    int error = file_open(&parent, file_here, above,
            file_for_reading | file_must_be_folder, 0);
    free(above);
    if (error != 0) return error;
    error = may_have_ours(parent) ? folder_make(parent, name, 0700, false)
                                  : EACCES;
    if (error == 0 || error == EEXIST)
        error = file_open(folder, parent, name, open_flags, 0);
    (void)file_close(parent);
    return error;
}

int state_folder_open_path(const char *path, bool make)
{
    int folder;
    int error = file_open(&folder, file_here, path, open_flags, 0);
    if (make && error == ENOENT) error = make_and_open(&folder, path);
    if (error == 0 && !is_safe(folder)) {
        (void)file_close(folder);
        folder = file_none;
        error = EPERM;
    }
    if (error != 0) errno = error;
    return folder;
}

/* ---- Lock ---------------------------------------------------------------- */

int state_folder_lock(int folder, unsigned timeout_ms)
{
    int lock;
    if (file_open(&lock, folder, "lock",
                file_for_reading | file_for_writing | file_made_if_missing
                        | file_no_link | file_no_wait,
                0600)
            != 0)
        return file_none;
    if (file_lock(lock, file_lock_alone, timeout_ms) == 0) return lock;
    (void)file_close(lock);
    return file_none;
}

void state_folder_unlock(int lock)
{
    file_unlock(lock);
    (void)file_close(lock);
}

/* ---- Files --------------------------------------------------------------- */

/* What follows a hole in a file is there still. */
static void end_lines_at_nuls(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0') text[i] = '\n';
}

char *state_folder_read(int folder, const char *name, size_t most)
{
    struct file_facts facts;
    int fd;
    size_t n;
    errno = file_open_plain(&fd, &facts, folder, name, 0, 0);
    if (errno != 0) return NULL;
    const size_t wanted = facts.size > most ? most : (size_t)facts.size;
    char *text = malloc(wanted + 1);
    if (text != NULL) {
        (void)file_read_up_to(&n, fd, text, wanted, facts.size - wanted);
        text[n] = '\0';
        end_lines_at_nuls(text, n);
    }
    (void)file_close(fd);
    return text;
}

/* A file with a second name is in somebody's copy of the store, which is made
 * of hard links, and must not change there. */
static bool detach(int folder, const char *name)
{
    char *text = state_folder_read(folder, name, SIZE_MAX - 1);
    const bool good = text != NULL
                      && state_folder_replace(folder, name, text, strlen(text));
    free(text);
    return good;
}

bool state_folder_append(
        int folder, const char *name, const char *text, size_t size)
{
    struct file_facts facts;
    int fd;
    if (file_facts_of_link(&facts, folder, name) == 0
            && facts.kind == file_is_plain && facts.links > 1
            && !detach(folder, name))
        return false;
    if (file_open_plain(&fd, &facts, folder, name,
                file_for_writing | file_made_if_missing | file_for_appending,
                0600)
            != 0)
        return false;
    const uint64_t old = facts.size;
    if (old + size > state_folder_most_bytes) {
        (void)file_close(fd);
        return false;
    }
    /* A line that another process did not finish must not damage ours. */
    char last = '\n';
    if (old > 0) (void)file_read_at(fd, &last, 1, old - 1);
    const bool good = (last == '\n' || file_write_all(fd, "\n", 1) == 0)
                      && file_write_all(fd, text, size) == 0;
    if (!good) (void)file_set_size(fd, old);
    (void)file_close(fd);
    return good;
}

bool state_folder_replace(
        int folder, const char *name, const char *text, size_t size)
{
    const struct file_part all = {text, size};
    return file_replace(folder, folder, name, &all, 1, 0600, false,
                   file_durability_none)
           == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_secret.h"

#include "src/platform/owner.h"

#include <errno.h>
#include <string.h>

static const char *find_danger(const struct file_facts *facts)
{
    if (facts->kind != file_is_plain) return "not a regular file";
    if (!file_is_own(facts)) return "it belongs to another user";
    if ((facts->mode & 077) != 0) return "others may use it (chmod 600)";
    if (facts->size < store_secret_least || facts->size > store_secret_most)
        return "a secret has 16 to 4096 bytes";
    return NULL;
}

/* In a user namespace nobody's files may be anybody's, and this process may
 * have nobody's number. */
static const char *find_danger_of_public(const struct file_facts *facts)
{
    if (facts->kind != file_is_plain) return "not a regular file";
    if (owner_is_unmapped(facts->owner))
        return "its owner is not known in this user namespace";
    if (!file_is_own(facts) && facts->owner != 0)
        return "it belongs to another user";
    if ((facts->mode & file_others_write) != 0)
        return "others may write to it (chmod go-w)";
    if (facts->size == 0 || facts->size > store_secret_most)
        return "not a public key";
    return NULL;
}

static int read_open(int fd, unsigned char *bytes, size_t *size,
        const char *(*check)(const struct file_facts *facts), const char **why)
{
    struct file_facts facts;
    const int error = file_facts(&facts, fd);
    if (error != 0) return error;
    const char *danger = check(&facts);
    if (danger != NULL) {
        *why = danger;
        return EPERM;
    }
    *size = (size_t)facts.size;
    return file_read_at(fd, bytes, *size, 0);
}

static int read_file(unsigned char *bytes, size_t *size, const char *path,
        unsigned flags, const char *(*check)(const struct file_facts *facts),
        const char **why)
{
    int fd;
    *why = "the key cannot be read";
    int error = file_open(
            &fd, file_here, path, file_for_reading | file_no_wait | flags, 0);
    if (error != 0) {
        /* What the system says of a link that is not to be followed. */
        const bool is_link = error == ELOOP && (flags & file_no_link) != 0;
        *why = is_link ? "is a symbolic link: a secret must be a plain file"
                       : strerror(error);
        return error;
    }
    error = read_open(fd, bytes, size, check, why);
    (void)file_close(fd);
    return error;
}

int store_secret_read(unsigned char bytes[store_secret_most], size_t *size,
        const char *path, const char **why)
{
    return read_file(bytes, size, path, file_no_link, find_danger, why);
}

/* Links are followed: what is mounted into containers consists of them, and
 * what counts is whose file it is. */
int store_secret_read_public(unsigned char bytes[store_secret_most],
        size_t *size, const char *path, const char **why)
{
    return read_file(bytes, size, path, 0, find_danger_of_public, why);
}

int store_secret_write(
        const char *path, const void *bytes, size_t size, bool is_public)
{
    int fd;
    int error = file_open(&fd, file_here, path,
            file_for_writing | file_made_if_missing | file_must_be_new,
            is_public ? 0644 : 0600);
    if (error != 0) return error;
    error = file_write_at(fd, bytes, size, 0);
    if (error == 0) error = file_sync(fd);
    (void)file_close(fd);
    if (error != 0) (void)file_remove(file_here, path);
    return error;
}

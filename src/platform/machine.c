/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/machine.h"

#include "src/platform/file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

/* The beginning of a small file of the system's, "" if there is none. False: it
 * cannot be read now. */
static bool read_start(char *text, size_t capacity, const char *path)
{
    size_t size = 0;
    int fd;
    text[0] = '\0';
    int error =
            file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error == ENOENT;
    error = file_read_some(&size, fd, text, capacity - 1);
    (void)file_close(fd);
    text[error == 0 ? size : 0] = '\0';
    return error == 0;
}

static void add(char text[machine_view_size], const char *more)
{
    const size_t length = strlen(text);
    strncat(text, more, machine_view_size - 1 - length);
}

/* The words of the kernel's command line that say which system, or which image
 * of it, was booted. Others, such as the kernel's own name, change with
 * updates that leave the drivers as they are. */
static bool add_image(char text[machine_view_size])
{
    static const char *const words[] = {
            "root=", "rootflags=", "ostree=", "init=", "live-media="};
    char line[machine_view_size / 2];
    char *place = NULL;
    if (!read_start(line, sizeof line, "/proc/cmdline")) return false;
    for (char *word = strtok_r(line, " \n", &place); word != NULL;
            word = strtok_r(NULL, " \n", &place))
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncmp(word, words[i], strlen(words[i])) == 0) {
                add(text, "\n");
                add(text, word);
            }
    return true;
}

/* In place of an ID: a container's is of that container, in most cases. */
static bool put_name(char text[machine_view_size])
{
    struct utsname system;
    if (uname(&system) != 0 || system.nodename[0] == '\0') return false;
    text[0] = '\0';
    add(text, "host ");
    add(text, system.nodename);
    return true;
}

/* An image has none until its first boot. */
static bool is_id(const char *text)
{
    return text[0] != '\0' && text[0] != '\n'
           && strncmp(text, "uninitialized", 13) != 0;
}

bool machine_view(char text[machine_view_size])
{
    enum { id_size = 64 };
    char names[64];
    if (!read_start(text, id_size, "/etc/machine-id")
            || (!is_id(text) && !put_name(text))
            || file_link_target(
                       names, sizeof names, file_here, "/proc/self/ns/mnt")
                       != 0)
        return false;
    add(text, "\n");
    add(text, names);
    return add_image(text);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_sights.h"

#include "src/common/hash.h"
#include "src/platform/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct file_sight {
    struct file_sight *next;
    struct file_facts facts;
    bool is_absent;
    char path[];
};

/* A folder of which all names are known. */
struct file_names_sight {
    struct file_names_sight *next;
    char *names; /* owned, a NUL each; NULL: each name is looked up */
    size_t size;
    char path[];
};

static size_t list_of(const char *path, size_t size)
{
    return (size_t)hash64(path, size) % file_sights_lists;
}

void file_sights_fini(struct file_sights *sights)
{
    for (size_t i = 0; i < file_sights_lists; i++) {
        while (sights->sights[i] != NULL) {
            struct file_sight *sight = sights->sights[i];
            sights->sights[i] = sight->next;
            free(sight);
        }
        while (sights->names[i] != NULL) {
            struct file_names_sight *sight = sights->names[i];
            sights->names[i] = sight->next;
            free(sight->names);
            free(sight);
        }
    }
    *sights = (struct file_sights){.device = 0};
}

/* ---- Paths --------------------------------------------------------------- */

static const struct file_sight *find_sight(
        const struct file_sights *sights, const char *path)
{
    const struct file_sight *sight =
            sights->sights[list_of(path, strlen(path))];
    while (sight != NULL && strcmp(sight->path, path) != 0)
        sight = sight->next;
    return sight;
}

const struct file_facts *file_sights_find(
        const struct file_sights *sights, const char *path)
{
    const struct file_sight *sight = find_sight(sights, path);
    return sight != NULL ? &sight->facts : NULL;
}

int file_sights_note(struct file_sights *sights, const char *path,
        const struct file_facts *facts)
{
    const size_t size = strlen(path);
    if (find_sight(sights, path) != NULL) return EEXIST;
    struct file_sight *sight = calloc(1, sizeof *sight + size + 1);
    if (sight == NULL) return ENOMEM;
    struct file_sight **list = &sights->sights[list_of(path, size)];
    sight->next = *list;
    sight->is_absent = facts == NULL;
    if (facts != NULL) sight->facts = *facts;
    memcpy(sight->path, path, size + 1);
    *list = sight;
    return 0;
}

/* ---- Names of folders ---------------------------------------------------- */

static const struct file_names_sight *find_names(
        const struct file_sights *sights, const char *folder, size_t size)
{
    const struct file_names_sight *sight = sights->names[list_of(folder, size)];
    while (sight != NULL
            && (strncmp(sight->path, folder, size) != 0
                    || sight->path[size] != '\0'))
        sight = sight->next;
    return sight;
}

static bool tells_all(struct file_sights *sights, int fd, uint64_t device)
{
    if (!sights->device_is_known || sights->device != device)
        sights->device_tells_all = folder_tells_all_names(fd);
    sights->device = device;
    sights->device_is_known = true;
    return sights->device_tells_all;
}

/* Some folders do not tell cases apart; beyond ASCII the file system alone
 * knows which names are equal. */
static bool is_ascii(const char *names, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)names[i] & 0x80u) != 0) return false;
    return true;
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Of ASCII, whatever the locale is. */
static bool is_equal_but_for_case(const char *a, const char *b)
{
    for (; lower(*a) == lower(*b); a++, b++)
        if (*a == '\0') return true;
    return false;
}

/* NULL: they are not known. */
static char *read_all_names(struct file_sights *sights, const char *folder,
        uint64_t device, size_t *size)
{
    char *names = NULL;
    bool at_once = false;
    int fd;
    int error = file_open(
            &fd, file_here, folder, file_for_reading | file_must_be_folder, 0);
    if (error != 0) return NULL;
    if (!tells_all(sights, fd, device)) error = ENOTSUP;
    if (error == 0) error = folder_read_names(&names, size, &at_once, fd);
    if (error == 0 && !at_once) error = EAGAIN;
    (void)file_close(fd);
    if (error == 0 && names == NULL) names = calloc(1, 1);
    if (error == 0 && names != NULL && is_ascii(names, *size)) return names;
    free(names);
    return NULL;
}

void file_sights_expect_many(struct file_sights *sights, const char *folder,
        const struct file_facts *facts)
{
    enum { small = 24 << 10 }; /* the bytes that a folder of few names has */
    const size_t size = strlen(folder);
    if (facts->size > small || find_names(sights, folder, size) != NULL) return;
    struct file_names_sight *sight = calloc(1, sizeof *sight + size + 1);
    if (sight == NULL) return;
    struct file_names_sight **list = &sights->names[list_of(folder, size)];
    memcpy(sight->path, folder, size + 1);
    sight->names = read_all_names(sights, folder, facts->device, &sight->size);
    sight->next = *list;
    *list = sight;
}

static bool lists_no_such_name(
        const struct file_sights *sights, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return false;
    const char *name = slash + 1;
    const struct file_names_sight *sight =
            find_names(sights, path, (size_t)(slash - path));
    if (sight == NULL || sight->names == NULL || !is_ascii(name, strlen(name)))
        return false;
    /* These are there, and never among the names. */
    if (name[strspn(name, ".")] == '\0') return false;
    for (size_t at = 0; at < sight->size; at += strlen(sight->names + at) + 1)
        if (is_equal_but_for_case(sight->names + at, name)) return false;
    return true;
}

bool file_sights_lack(const struct file_sights *sights, const char *path)
{
    const struct file_sight *sight = find_sight(sights, path);
    return sight != NULL ? sight->is_absent : lists_no_such_name(sights, path);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/loaded_libraries.h"

#include "src/platform/file.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The C library, by the address of one of its functions. */
struct search {
    uintptr_t base;
    bool is_found;
    struct library_facts library;
    char path[path_size];
};

static bool look(void *user, const struct library_facts *library)
{
    struct search *search = user;
    if (library->base != search->base) return true;
    search->is_found = true;
    search->library = *library;
    (void)snprintf(search->path, sizeof search->path, "%s", library->path);
    return false; /* no more */
}

static void find_libc(struct search *search)
{
    int (*const function)(void) = rand;
    const void *address;
    memcpy(&address, &function, sizeof address);
    *search = (struct search){.base = library_base_of(address)};
    EXPECT_NE(0, search->base);
    EXPECT_FALSE(libraries_each(look, search)); /* as look() said */
}

TEST_C(LoadedLibraries, TellOfOneWhatItsFileSays)
{
    static struct search libc;
    static uint8_t head[1 << 14];
    uint8_t id[library_build_id_most];
    char path[path_size];
    size_t size;
    int fd;
    find_libc(&libc);
    ASSERT_TRUE(libc.is_found);
    ASSERT_NOT_NULL(libc.library.name);
    EXPECT_EQ(0, strncmp(libc.library.name, "lib", 3));
    ASSERT_EQ(0, library_open_file(&fd, path, &libc.library));
    struct file_facts one;
    struct file_facts other;
    EXPECT_EQ(0, file_facts(&one, fd));
    EXPECT_EQ(0, file_facts_at(&other, file_here, libc.path));
    EXPECT_TRUE(file_is_same(&one, &other));
    EXPECT_EQ(0, file_read_up_to(&size, fd, head, sizeof head, 0));
    EXPECT_EQ(0, file_close(fd));
    EXPECT_EQ(libc.library.build_id_size,
            library_build_id_of_file(head, size, id));
    EXPECT_EQ(0, memcmp(id, libc.library.build_id, libc.library.build_id_size));
    /* Cut short at each byte: the same, or none. */
    for (size_t most = 0; most < 4096; most++) {
        const size_t found = library_build_id_of_file(head, most, id);
        EXPECT_TRUE(found == 0 || found == libc.library.build_id_size);
    }
}

static bool count(void *user, const struct library_facts *library)
{
    size_t *linked = user;
    size_t at = 0;
    const char *name;
    EXPECT_TRUE(library->path[0] != '\0'); /* not the program */
    while ((name = library_next_linked(library, &at)) != NULL)
        *linked += name[0] != '\0';
    EXPECT_NULL(library_next_linked(library, &at)); /* nor again */
    return true;
}

TEST_C(LoadedLibraries, TellWhatTheyLink)
{
    size_t linked = 0;
    EXPECT_TRUE(libraries_each(count, &linked));
    EXPECT_GT(linked, 0); /* the C library links its loader, for one */
}

TEST_C(LoadedLibraries, OfNoneThereIsNoFile)
{
    const struct library_facts none = {.path = NULL};
    char path[path_size];
    size_t at = 0;
    int fd = file_none;
    EXPECT_EQ(ENOENT, library_open_file(&fd, path, &none));
    EXPECT_EQ(file_none, fd);
    EXPECT_NULL(library_next_linked(&none, &at));
    EXPECT_EQ(0, library_base_of(NULL));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a driver's library, of a program that the driver
 * starts, of code that the driver has compiled, or of a script. A build-id that
 * is found lies in the file, also when there is nothing behind it; of a program
 * all that is said to be found has a path and a name that end; code that is
 * taken is the file's bytes and has the kernel's symbol.
 */
#include "pieces.h"
#include "scratch.h"
#include "src/drivers/pocl_made.h"
#include "src/gpu/device/program_files.h"
#include "src/platform/loaded_libraries.h"
#include "tools/run/command_file.h"

static void check_build_id(size_t size, const uint8_t *bytes)
{
    uint8_t id[library_build_id_most];
    uint8_t again[library_build_id_most];
    const size_t n = library_build_id_of_file(bytes, size, id);
    REQUIRE(n <= sizeof id && n <= size);
    if (n > 0) REQUIRE(memmem(bytes, size, id, n) != NULL);
    const size_t m = library_build_id_of_notes(bytes, size, id);
    REQUIRE(m <= sizeof id && m <= size);
    if (m == 0) return;
    const uint8_t *at = memmem(bytes, size, id, m);
    REQUIRE(at != NULL);
    /* The same of as few bytes as have it, which some prefix does. */
    size_t least = (size_t)(at - bytes) + m;
    while (library_build_id_of_notes(bytes, least, again) != m) {
        least++;
        REQUIRE(least <= size);
    }
    REQUIRE(memcmp(id, again, m) == 0);
}

/* ---- Programs ------------------------------------------------------------ */

static void found(void *user, const char *path, const char *label)
{
    ++*(size_t *)user;
    touch(path, strlen(path) + 1);
    touch(label, strlen(label) + 1);
}

static int find(
        void *user, const char *path, const char *label, struct file_head *head)
{
    found(user, path, label);
    if (head != NULL) head->size = 0;
    return 2; /* ENOENT: nothing else is read */
}

static void found_open(void *user, const struct file_opened *opened,
        const char *path, const char *label)
{
    touch(opened->head, opened->head_size);
    found(user, path, label);
}

static void missing(void *user, const char *path)
{
    found(user, path, "");
}

static void listed(void *user, const struct file_listing *listing)
{
    found(user, listing->path, listing->prefix);
}

static void failed(void *user, const char *name, int error)
{
    REQUIRE(error != 0);
    found(user, name, "");
}

static void check_program(const char *path)
{
    size_t count = 0;
    const struct file_search search = {.user = &count,
            .found = found,
            .find = find,
            .found_open = found_open,
            .missing = missing,
            .unfit = missing,
            .listed = listed,
            .failed = failed};
    program_files_find(&search, path, "program");
    REQUIRE(count > 0);
}

/* ---- Code ---------------------------------------------------------------- */

static void check_code(size_t size, const uint8_t *bytes)
{
    static const char code[] = "k/1-1-1/k.so";
    static const char symbol[] = "_pocl_kernel_k_workgroup";
    uint8_t stamp[pocl_made_stamp_size];
    struct file_facts facts;
    size_t read_size = 0;
    scratch_write("k/1-1-1/k.so", bytes, size);
    const int folder = pocl_made_open_folder(scratch_folder());
    REQUIRE(folder != file_none);
    const int fd = pocl_made_open_file(folder, code, &facts);
    REQUIRE((fd != file_none) == (size > 0));
    pocl_made_stamp(stamp, &facts);
    (void)file_close(fd);
    uint8_t *read =
            size > 0 ? pocl_made_read(folder, code, stamp, &read_size) : NULL;
    if (read != NULL)
        REQUIRE(read_size == size && memcmp(read, bytes, size) == 0
                && memmem(bytes, size, symbol, sizeof symbol) != NULL);
    free(read);
    (void)file_close(folder);
}

/* ---- Scripts ------------------------------------------------------------- */

static void check_script(size_t size, const uint8_t *bytes)
{
    char path[scratch_path_size];
    char program[path_size];
    scratch_write("script", bytes, size);
    scratch_path(path, "script");
    const bool is_script = command_file_is_script(path);
    REQUIRE(is_script == (size >= 2 && bytes[0] == '#' && bytes[1] == '!'));
    if (command_file_find_program(program, path))
        REQUIRE(memchr(program, '\0', sizeof program) != NULL
                && (is_script || strcmp(program, path) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[scratch_path_size];
    struct pieces pieces = {data, size};
    struct piece copy = pieces_rest(&pieces);
    check_build_id(size, copy.data);
    scratch_write("program", copy.data, size);
    scratch_path(path, "program");
    check_program(path);
    check_code(size, copy.data);
    check_script(size, copy.data);
    free(copy.data);
    return 0;
}

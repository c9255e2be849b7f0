/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/command_loaders.h"

#include "src/platform/elf_of_process.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "tools/run/command_file.h"
#include "tools/run/probe_memory.h"
#include "tools/run/timed_child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char loader_name[] = "libOpenCL.so.1";
static const char foreign[] = "it is a program of another architecture";

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* ---- The dynamic linker -------------------------------------------------- */

struct linker {
    char path[path_size];
    bool has_run_path;
};

/* Has the program folders of its own for libraries, or may it have? Files that
 * appear there are found first. */
static bool has_run_path(int fd, const ElfW(Phdr) * segment)
{
    ElfW(Dyn) entry;
    const size_t count = segment->p_filesz / sizeof entry;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = segment->p_offset + i * sizeof entry;
        if (file_read_at(fd, &entry, sizeof entry, at) != 0) return true;
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) return true;
    }
    return false;
}

/* The linker that the program names, if it is one of this machine's kind: one
 * of another would load another libOpenCL.so.1 than this program can. */
static const char *read_linker(struct linker *linker, int fd)
{
    char *const path = linker->path;
    const char *why = "it is linked statically";
    ElfW(Ehdr) header;
    ElfW(Ehdr) own;
    ElfW(Phdr) segment;
    int self;
    const bool knows_own = program_open(&self) == 0
                           && file_read_at(self, &own, sizeof own, 0) == 0;
    (void)file_close(self);
    if (file_read_at(fd, &header, sizeof header, 0) != 0
            || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return "it is not a program of ELF";
    if (knows_own
            && (header.e_ident[EI_CLASS] != own.e_ident[EI_CLASS]
                    || header.e_machine != own.e_machine))
        return foreign;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        const uint64_t at = header.e_phoff + i * sizeof segment;
        if (file_read_at(fd, &segment, sizeof segment, at) != 0) break;
        if (segment.p_type == PT_DYNAMIC && has_run_path(fd, &segment))
            linker->has_run_path = true;
        if (segment.p_type != PT_INTERP) continue;
        if (segment.p_filesz == 0 || segment.p_filesz >= path_size) break;
        const size_t size = (size_t)segment.p_filesz;
        if (file_read_at(fd, path, size, segment.p_offset) != 0) break;
        path[size] = '\0';
        why = NULL;
    }
    return why;
}

static const char *find_linker(struct linker *linker, const char *program)
{
    int fd;
    if (file_open(&fd, file_here, program, file_for_reading | file_no_wait, 0)
            != 0)
        return "it cannot be read";
    const char *why = read_linker(linker, fd);
    (void)file_close(fd);
    /* With --list these run nothing. */
    if (why == NULL && strncmp(name_in(linker->path), "ld", 2) != 0)
        why = "its dynamic linker is not known";
    return why;
}

/* From "libOpenCL.so.1 => PATH (0x...)"; a path may have spaces. is_first: no
 * other library's folders led there. */
static bool read_list(char found[path_size], bool *is_first, const char *text)
{
    static const char arrow[] = " => /";
    for (const char *at = text; (at = strstr(at, loader_name)) != NULL; at++) {
        const char *path = at + sizeof loader_name - 1;
        const char *line_end = path + strcspn(path, "\n");
        if (strncmp(path, arrow, sizeof arrow - 1) != 0) continue;
        path += sizeof arrow - 2;
        const char *end = line_end;
        while (end > path && *end != '(')
            end--;
        if (end <= path + 1 || end - path > path_size) continue;
        const size_t size = (size_t)(end - 1 - path);
        memcpy(found, path, size);
        found[size] = '\0';
        *is_first = strstr(text, " => ") == path - (sizeof arrow - 2);
        return true;
    }
    return false;
}

/* As if it were preloaded: so it is searched as the program's own libraries
 * are, whether it is one of them or the program would load it later. */
static bool ask_linker(
        char found[path_size], const char *linker, const char *program)
{
    bool is_first = false;
    enum { list_size = 1 << 16 };
    const char *others = getenv("LD_PRELOAD");
    char *preload = NULL;
    char *text = calloc(1, list_size);
    if (asprintf(&preload, "%s%s%s", others != NULL ? others : "",
                others != NULL ? ":" : "", loader_name)
            < 0)
        preload = NULL;
    char *const arguments[] = {(char *)(uintptr_t)linker, "--list",
            (char *)(uintptr_t)program, NULL};
    const char *const variables[] = {"LD_PRELOAD", preload, NULL};
    if (text != NULL && preload != NULL) {
        (void)timed_child_run(arguments, variables, text, list_size);
        (void)read_list(found, &is_first, text);
    }
    free(preload);
    free(text);
    return is_first;
}

/* What is found must be as it was, and its line follows it. */
static void find_program_loader(
        char found[path_size], const struct linker *linker, const char *program)
{
    struct probe_key key;
    struct probe_key now;
    char *answer = NULL;
    probe_key_init(&key, "loader");
    if (linker->has_run_path) probe_key_refuse(&key);
    probe_key_add_file(&key, linker->path);
    probe_key_add_file(&key, program);
    probe_key_add_folders(&key);
    char *known = probe_memory_find(&key);
    char *end = known != NULL ? strchr(known, '\n') : NULL;
    probe_key_init(&now, "");
    if (end != NULL && end - known < path_size) {
        *end = '\0';
        probe_key_add_file(&now, known);
        if (probe_key_ends_with(&now, end + 1))
            memcpy(found, known, (size_t)(end - known) + 1);
    }
    probe_key_fini(&now);
    free(known);
    if (found[0] == '\0') {
        if (!ask_linker(found, linker->path, program)) probe_key_refuse(&key);
        probe_key_init(&now, "");
        probe_key_add_file(&now, found);
        const char *line = found[0] != '\0' ? probe_key_last_line(&now) : NULL;
        if (line != NULL && asprintf(&answer, "%s\n%s", found, line) > 0) {
            probe_memory_keep(&key, answer);
            free(answer);
        }
        probe_key_fini(&now);
    }
    probe_key_fini(&key);
}

/* ---- Packages of Python -------------------------------------------------- */

static int add_package(void *user, const char *file)
{
    struct command_loaders *loaders = user;
    char path[path_size];
    char own[path_size];
    if (!path_resolve(path, file)) return 0;
    if (loaders->program[0] != '\0' && path_resolve(own, loaders->program)
            && strcmp(own, path) == 0)
        return 0;
    for (size_t i = 0; i < loaders->package_count; i++)
        if (strcmp(loaders->packages[i], path) == 0) return 0;
    if (loaders->package_count == command_loaders_max) return 0;
    memcpy(loaders->packages[loaders->package_count++], path, strlen(path) + 1);
    return 0;
}

static void add_packages_below(
        struct command_loaders *loaders, const char *prefix)
{
    /* As delocating tools and build systems name the folders. */
    static const char *const patterns[] = {
            "lib/libOpenCL.so.1",
            "lib/python3*/*-packages/*/libOpenCL*.so*",
            "lib/python3*/*-packages/*/.libs/libOpenCL*.so*",
            "lib/python3*/*-packages/*/lib/libOpenCL*.so*",
            "lib/python3*/*-packages/*/libs/libOpenCL*.so*",
    };
    char pattern[path_size + 64];
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        (void)snprintf(pattern, sizeof pattern, "%s/%s", prefix, patterns[i]);
        (void)folder_each_match(pattern, add_package, loaders);
    }
}

/* PREFIX/bin/python, of a virtual environment or not. */
static void add_packages_of(
        struct command_loaders *loaders, const char *interpreter)
{
    char prefix[path_size];
    if (snprintf(prefix, sizeof prefix, "%s", interpreter) >= path_size) return;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(prefix, '/');
        if (slash == NULL) return;
        *slash = '\0';
    }
    add_packages_below(loaders, prefix);
}

static void add_packages(struct command_loaders *loaders, const char *program)
{
    char path[path_size];
    const char *home = getenv("HOME");
    if (strncmp(name_in(program), "python", 6) != 0) return;
    add_packages_of(loaders, program);
    if (path_resolve(path, program)) add_packages_of(loaders, path);
    add_packages_below(loaders, "/usr/local");
    if (home == NULL || home[0] != '/') return;
    if (snprintf(path, sizeof path, "%s/.local", home) < path_size)
        add_packages_below(loaders, path);
}

void command_loaders_find(struct command_loaders *loaders, const char *command)
{
    char path[path_size];
    char program[path_size];
    struct linker linker = {.has_run_path = false};
    memset(loaders, 0, sizeof *loaders);
    if (command == NULL || !command_file_find(path, command)
            || !command_file_find_program(program, path))
        return;
    loaders->unknown = find_linker(&linker, program);
    loaders->is_foreign = loaders->unknown == foreign;
    if (loaders->unknown == NULL)
        find_program_loader(loaders->program, &linker, program);
    add_packages(loaders, program);
}

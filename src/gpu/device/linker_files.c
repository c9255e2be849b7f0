/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows clang's driver (clang/lib/Driver/ToolChains/Gnu.cpp): GCC's
 * installations, of which clang takes the newest that has crtbegin.o; programs
 * in COMPILER_PATH, beside GCC, beside clang and in PATH; libraries in GCC's
 * folder, in those of the system and in LIBRARY_PATH.
 *
 * Where clang chooses, all that it could choose from counts, with a label that
 * says which choice it is: another installation that clang would prefer then
 * changes the identity, whatever the rule is. Within one list of folders the
 * first file counts. Where a system's settings choose (Gentoo), they count, and
 * the folders that they name. LLVM's own linker and its replacement for
 * libgcc.a count where there is no ld and no libgcc.a: where there are, they
 * are not used, and machines with and without them share entries.
 */
#include "src/gpu/device/linker_files.h"

#include "src/common/array.h"
#include "src/gpu/device/program_files.h"
#include "src/platform/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { label_size = 96, most_folders = 16 };

/* What machines of this kind are called in the names of folders and programs:
 * each begins so. */
#if defined(__x86_64__)
static const char *const machines[] = {"x86_64-"};
#elif defined(__i386__)
static const char *const machines[] = {"i386-", "i486-", "i586-", "i686-"};
#elif defined(__aarch64__)
static const char *const machines[] = {"aarch64-"};
#elif defined(__arm__)
static const char *const machines[] = {"arm"};
#else
static const char *const machines[] = {""};
#endif

/* clang puts the machine before a program's name, in its own spelling. */
static const char *const systems[] = {"pc-linux-gnu", "linux-gnu",
        "unknown-linux-gnu", "unknown-linux", "conda-linux-gnu", "redhat-linux",
        "redhat-linux-gnu", "suse-linux", "alpine-linux-musl", "pc-linux-musl",
        "unknown-linux-musl", "linux-gnueabihf", "unknown-linux-gnueabihf"};

/* Files of GCC's folder, and of the folders of libraries. */
static const char *const gcc_files[] = {"crtbegin.o", "crtbeginS.o", "crtend.o",
        "crtendS.o", "libgcc.a", "libgcc.so", "libgcc_eh.a", "libgcc_s.so",
        "libgcc_s.so.1", "libm.so", "libm.a", "libc.so", "libc.a", "crti.o",
        "crtn.o"};
static const char *const system_files[] = {
        "crti.o", "crtn.o", "libc_nonshared.a", "libgcc_s.so.1"};
/* What -l finds: the shared one of a folder comes before the static one. */
static const char *const libraries[] = {"libm", "libc", "libgcc", "libgcc_s"};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* "first/second" for an identity. */
static const char *join_label(
        char label[label_size], const char *first, const char *second)
{
    snprintf(label, label_size, "%.40s/%.48s", first, second);
    return label;
}

/* ---- Libraries ------------------------------------------------------------
 */

/* Folders that are searched one after the other, each once. */
struct folders {
    const struct file_search *search;
    size_t count;
    struct folder {
        char path[FILE_SEARCH_PATH_SIZE];
        struct file_facts facts;
    } list[most_folders];
};

static void add_folder(struct folders *folders, const char *path)
{
    struct file_facts facts;
    if (!file_search_find_folder(folders->search, path, &facts)) return;
    for (size_t i = 0; i < folders->count; i++)
        if (file_is_same(&folders->list[i].facts, &facts)) return;
    if (folders->count == most_folders) {
        folders->search->failed(folders->search->user, path, E2BIG);
        return;
    }
    struct folder *folder = &folders->list[folders->count++];
    snprintf(folder->path, sizeof folder->path, "%s", path);
    folder->facts = facts;
    file_search_expect_many(folders->search, path, &facts);
}

static bool add_listed_folder(const char *path, void *folders)
{
    add_folder(folders, path);
    return true;
}

/* What a script names without a path, or as -l does, is looked for beside it.
 */
static void find_file_of_script(const struct file_search *search,
        const char *folder, const char *script, const char *word)
{
    static const char *const ends[] = {".so", ".a"};
    char name[label_size];
    char label[label_size];
    const char *slash = strrchr(word, '/');
    if (word[0] == '/') {
        if (slash != word)
            file_search_try_path(
                    search, word, join_label(label, script, slash + 1));
    } else if (strncmp(word, "-l", 2) == 0) {
        for (size_t i = 0; i < COUNT(ends); i++) {
            snprintf(name, sizeof name, "lib%.80s%s", word + 2, ends[i]);
            (void)file_search_try(
                    search, folder, name, join_label(label, script, name));
        }
    } else if (slash == NULL && strchr(word, '.') != NULL) {
        (void)file_search_try(
                search, folder, word, join_label(label, script, word));
    }
}

static bool is_text(const struct file_head *head)
{
    return memchr(head->bytes, '\0', head->size) == NULL;
}

/* A linker's script, as libc.so is in most systems, names other files. */
static void find_files_of_script(const struct file_search *search,
        const char *folder, const char *name, struct file_head *head)
{
    char *rest = NULL;
    if (!is_text(head)) return;
    for (char *word = strtok_r(head->bytes, " \t\r\n(),;\"", &rest);
            word != NULL; word = strtok_r(NULL, " \t\r\n(),;\"", &rest))
        find_file_of_script(search, folder, name, word);
}

static bool find_file(const struct file_search *search, const char *folder,
        const char *name, const char *group)
{
    char label[label_size];
    struct file_head head;
    const bool may_be_script =
            strstr(name, ".so") != NULL || strstr(name, ".a") != NULL;
    if (!file_search_try_head(search, folder, name,
                join_label(label, group, name), may_be_script ? &head : NULL))
        return false;
    if (may_be_script) find_files_of_script(search, folder, name, &head);
    return true;
}

static void find_library(
        const struct folders *folders, const char *library, const char *group)
{
    char name[label_size];
    for (size_t i = 0; i < folders->count; i++) {
        const char *path = folders->list[i].path;
        snprintf(name, sizeof name, "%s.so", library);
        if (find_file(folders->search, path, name, group)) return;
        snprintf(name, sizeof name, "%s.a", library);
        if (find_file(folders->search, path, name, group)) return;
    }
}

/* All that a link may take of folders. */
static void find_libraries(const struct folders *folders, const char *group)
{
    for (size_t i = 0; i < COUNT(libraries); i++)
        find_library(folders, libraries[i], group);
    for (size_t i = 0; i < COUNT(system_files); i++)
        for (size_t j = 0; j < folders->count; j++)
            if (find_file(folders->search, folders->list[j].path,
                        system_files[i], group))
                break;
}

static void find_system_libraries(
        const struct file_search *search, const char *libc)
{
    char path[FILE_SEARCH_PATH_SIZE];
    struct folders *folders = calloc(1, sizeof *folders);
    if (folders == NULL) {
        search->failed(search->user, libc, ENOMEM);
        return;
    }
    folders->search = search;
    file_search_list("/usr/lib64:/lib64", ":", add_listed_folder, folders);
    add_folder(folders, libc);
    /* Where /lib is not a link to /usr/lib. */
    if (file_search_join(search, path, "/usr", libc)) add_folder(folders, path);
    file_search_list("/lib:/usr/lib", ":", add_listed_folder, folders);
    find_libraries(folders, "system");
    folders->count = 0;
    file_search_list(getenv("LIBRARY_PATH"), ":", add_listed_folder, folders);
    find_libraries(folders, "LIBRARY_PATH");
    free(folders);
}

/* ---- Programs -------------------------------------------------------------
 */

/* A folder of a list. Many names are looked for in each. */
struct program_folder {
    char *path; /* owned */
    struct file_facts facts;
    bool is_searched; /* it is there, and none before it is the same */
    size_t first;     /* that is the same, or its own number */
    bool has_unfit;   /* of the present name */
};

struct program {
    const struct file_search *search;
    const char *group;
    const char *name;
    size_t count;
    struct program_folder *folders;
    struct file_facts last; /* the file that was found last */
};

/* The number of the first that is the same, or of the next. */
static size_t find_same(
        const struct program *program, const struct file_facts *facts)
{
    size_t i = 0;
    while (i < program->count
            && !(program->folders[i].is_searched
                    && file_is_same(&program->folders[i].facts, facts)))
        i++;
    return i;
}

/* What is missing in one folder is so in another name of it, and in one that is
 * not there. One that cannot be looked at is searched. */
static bool add_program_folder(const char *folder, void *user)
{
    struct program *program = user;
    struct program_folder new = {.path = NULL, .first = program->count};
    if (array_grow(&program->folders, program->count, sizeof new))
        new.path = strdup(folder);
    if (new.path == NULL) {
        program->search->failed(program->search->user, folder, ENOMEM);
        return false;
    }
    const int error = file_facts_at(&new.facts, file_here, folder);
    if (error == 0) new.first = find_same(program, &new.facts);
    new.is_searched = error == 0 ? new.facts.kind == file_is_folder &&new.first
                                           == program->count
                                 : error != ENOENT &&error != ENOTDIR;
    if (error == 0 && new.is_searched)
        file_search_expect_many(program->search, folder, &new.facts);
    program->folders[program->count++] = new;
    return true;
}

/* Other names of one file link the same. */
static void tell_program(struct program *program, const char *path,
        const struct file_facts *facts)
{
    const struct file_search *search = program->search;
    char label[label_size];
    join_label(label, program->group, program->name);
    if (file_is_same(facts, &program->last))
        search->found(search->user, path, label);
    else
        program_files_find(search, path, label);
    program->last = *facts;
}

/* May the path be run? If there is something that may not, the user may let it.
 */
static bool is_program(const struct file_search *search, const char *path,
        struct file_facts *facts)
{
    const int error = file_facts_at(facts, file_here, path);
    if (error != 0 && !file_search_is_absent(error))
        search->failed(search->user, path, error);
    else if (error != 0)
        file_search_tell_missing(search, path);
    else if (facts->kind == file_is_plain && file_may_be_run(path))
        return true;
    else
        search->unfit(search->user, path);
    return false;
}

/* What is in a folder that is not searched: nothing, or, under another name of
 * a folder, what is there and may not be run. */
static void tell_other_name(const struct program *program,
        const struct program_folder *folder, const char *path)
{
    const struct file_search *search = program->search;
    if (program->folders[folder->first].has_unfit)
        search->unfit(search->user, path);
    else
        file_search_tell_missing(search, path);
}

/* True: it is there, or it cannot be looked for. */
static bool look_for_program(
        struct program *program, struct program_folder *folder)
{
    const struct file_search *search = program->search;
    char path[FILE_SEARCH_PATH_SIZE];
    struct file_facts facts;
    if (!file_search_join(search, path, folder->path, program->name))
        return true;
    folder->has_unfit = false;
    if (!folder->is_searched) {
        tell_other_name(program, folder, path);
        return false;
    }
    if (file_search_knows_missing(search, path)) {
        file_search_tell_missing(search, path);
        return false;
    }
    if (!is_program(search, path, &facts)) {
        folder->has_unfit = facts.number != 0 || facts.device != 0;
        return false;
    }
    if (path[0] == '/')
        tell_program(program, path, &facts);
    else
        search->failed(search->user, path, ESTALE);
    return true;
}

static bool look_in_folders(struct program *program, const char *name)
{
    program->name = name;
    for (size_t i = 0; i < program->count; i++)
        if (look_for_program(program, &program->folders[i])) return true;
    return false;
}

/* The program, by its plain name and by those with the machine in front. True
 * if one of these is there. */
static bool find_program(const struct file_search *search, const char *name,
        const char *group, const char *folders)
{
    char full[label_size];
    struct program program = {.search = search, .group = group};
    file_search_list(folders, ":", add_program_folder, &program);
    bool is_found = look_in_folders(&program, name);
    for (size_t i = 0; i < COUNT(machines); i++)
        for (size_t j = 0; j < COUNT(systems); j++) {
            snprintf(full, sizeof full, "%s%s-%s", machines[i], systems[j],
                    name);
            if (look_in_folders(&program, full)) is_found = true;
        }
    for (size_t i = 0; i < program.count; i++)
        free(program.folders[i].path);
    free(program.folders);
    return is_found;
}

/* ---- GCC ------------------------------------------------------------------
 */

static bool is_for_this_machine(const char *name)
{
    for (size_t i = 0; i < COUNT(machines); i++)
        if (strncmp(name, machines[i], strlen(machines[i])) == 0) return true;
    return false;
}

/* All that a link may take of one folder; true: it has libgcc.a. */
static bool find_in_folder(
        const struct file_search *search, const char *folder, const char *group)
{
    bool has_libgcc = false;
    if (!file_search_has_folder_of_many(search, folder)) return false;
    for (size_t i = 0; i < COUNT(gcc_files); i++)
        if (find_file(search, folder, gcc_files[i], group)
                && strcmp(gcc_files[i], "libgcc.a") == 0)
            has_libgcc = true;
    return has_libgcc;
}

/* What there is of GCC. */
struct gcc {
    bool has_libgcc;
    bool has_linker;
};

/* folder: .../gcc/x86_64-linux-gnu; name: the version. */
static void find_gcc_version(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    static const char *const besides[] = {"lib", "lib64"};
    struct gcc *gcc = user;
    char path[FILE_SEARCH_PATH_SIZE];
    char label[label_size];
    char beside[FILE_SEARCH_PATH_SIZE];
    const char *machine = strrchr(folder, '/') + 1;
    if (!isdigit((unsigned char)name[0])
            || !file_search_join(search, path, folder, name))
        return;
    snprintf(label, sizeof label, "gcc-%.40s", name);
    if (find_in_folder(search, path, label)) gcc->has_libgcc = true;
    for (size_t i = 0; i < COUNT(besides); i++) {
        snprintf(label, sizeof label, "../../../%.60s/%s", machine, besides[i]);
        if (file_search_join(search, beside, folder, label))
            (void)find_in_folder(search, beside, besides[i]);
    }
    snprintf(label, sizeof label, "../../../%.60s/bin", machine);
    if (file_search_join(search, beside, folder, label)
            && file_search_has_folder(search, beside)
            && find_program(search, "ld", "gcc", beside))
        gcc->has_linker = true;
}

static void find_gcc_machine(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    char path[FILE_SEARCH_PATH_SIZE];
    if (is_for_this_machine(name)
            && file_search_join(search, path, folder, name))
        file_search_entries(search, path, "", find_gcc_version, user);
}

static void find_gcc_under(
        const struct file_search *search, const char *prefix, struct gcc *gcc)
{
    static const char *const places[] = {"lib/gcc", "lib/gcc-cross",
            "lib64/gcc", "lib64/gcc-cross", "lib32/gcc", "lib32/gcc-cross",
            "libx32/gcc", "libx32/gcc-cross"};
    char path[FILE_SEARCH_PATH_SIZE];
    for (size_t i = 0; i < COUNT(places); i++)
        if (file_search_join(search, path, prefix, places[i]))
            file_search_entries(search, path, "", find_gcc_machine, gcc);
}

/* Red Hat's sets of newer tools. */
static void find_gcc_of_toolset(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    char path[FILE_SEARCH_PATH_SIZE];
    char root[label_size];
    snprintf(root, sizeof root, "%.60s/root/usr", name);
    if (file_search_join(search, path, folder, root)
            && file_search_has_folder(search, path))
        find_gcc_under(search, path, user);
}

/* Gentoo's gcc-config chooses an installation by files here: clang takes the
 * one of CURRENT, in one of the folders of its LDPATH. Those below /usr/lib/gcc
 * are among the others. */
static void find_gcc_setting(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    static const char installations[] = "/usr/lib/gcc/";
    char label[label_size];
    char *rest = NULL;
    struct file_head head;
    struct gcc *gcc = user;
    if (!file_search_try_head(
                search, folder, name, join_label(label, "gcc", name), &head)
            || !is_text(&head))
        return;
    for (char *word = strtok_r(head.bytes, " \t\r\n=:\"'", &rest); word != NULL;
            word = strtok_r(NULL, " \t\r\n=:\"'", &rest))
        if (word[0] == '/'
                && strncmp(word, installations, strlen(installations)) != 0
                && find_in_folder(search, word, name))
            gcc->has_libgcc = true;
}

static void find_gcc_of_settings(
        const struct file_search *search, struct gcc *gcc)
{
    static const char settings[] = "/etc/env.d/gcc";
    file_search_entries(search, settings, "", find_gcc_setting, gcc);
}

/* ---- clang's own folders ---------------------------------------------------
 */

/* What LLVM has in place of libgcc.a counts where there is none. */
static void find_runtime(const struct file_search *search, const char *folder,
        const char *name, void *user)
{
    char label[label_size];
    (void)user;
    (void)file_search_try(
            search, folder, name, join_label(label, "clang-rt", name));
}

/* Folders of libraries that come before all others if they are there: "linux"
 * has one for each machine, the others are named after one. */
static void find_clang_folder(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    const struct gcc *gcc = user;
    char path[FILE_SEARCH_PATH_SIZE];
    char below[FILE_SEARCH_PATH_SIZE];
    char machine[label_size];
    if (!file_search_join(search, path, folder, name)
            || !file_search_has_folder(search, path))
        return;
    if (is_for_this_machine(name)) (void)find_in_folder(search, path, "clang");
    for (size_t i = 0; i < COUNT(machines); i++) {
        snprintf(machine, sizeof machine, "%.*s",
                (int)strcspn(machines[i], "-"), machines[i]);
        if (machine[0] != '\0'
                && file_search_join(search, below, path, machine))
            (void)find_in_folder(search, below, "clang");
    }
    if (gcc->has_libgcc) return;
    file_search_entries(
            search, path, "libclang_rt.builtins", find_runtime, user);
    file_search_entries(search, path, "clang_rt.crt", find_runtime, user);
}

static void find_clang_version(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    char path[FILE_SEARCH_PATH_SIZE];
    char libraries_of[label_size];
    snprintf(libraries_of, sizeof libraries_of, "%.80s/lib", name);
    if (file_search_join(search, path, folder, libraries_of))
        file_search_entries(search, path, "", find_clang_folder, user);
}

static void find_clang_folders(
        const struct file_search *search, const char *compiler, struct gcc *gcc)
{
    char path[FILE_SEARCH_PATH_SIZE];
    char name[label_size];
    struct file_facts facts;
    if (file_search_join(search, path, compiler, "clang"))
        file_search_entries(search, path, "", find_clang_version, gcc);
    if (file_facts_at(&facts, file_here, compiler) == 0)
        file_search_expect_many(search, compiler, &facts);
    for (size_t i = 0; i < COUNT(machines); i++)
        for (size_t j = 0; j < COUNT(systems); j++) {
            snprintf(name, sizeof name, "%s%s", machines[i], systems[j]);
            if (!file_search_join(search, path, compiler, name)) continue;
            if (file_search_knows_missing(search, path))
                file_search_tell_missing(search, path);
            else
                (void)find_in_folder(search, path, "clang");
        }
}

/* ---- All ------------------------------------------------------------------
 */

static bool find_linker(const struct file_search *search, const char *name,
        const char *compiler)
{
    char beside[FILE_SEARCH_PATH_SIZE];
    bool is_found = find_program(
            search, name, "COMPILER_PATH", getenv("COMPILER_PATH"));
    if (file_search_join(search, beside, compiler, "../bin")
            && find_program(search, name, "clang", beside))
        is_found = true;
    return find_program(search, name, "PATH", getenv("PATH")) || is_found;
}

static void find_all(const struct file_search *search, const char *compiler,
        const char *libc)
{
    char path[FILE_SEARCH_PATH_SIZE];
    struct gcc gcc = {false, false};
    find_gcc_under(search, "/usr", &gcc);
    if (file_search_join(search, path, compiler, ".."))
        find_gcc_under(search, path, &gcc);
    file_search_entries(search, "/opt/rh", "", find_gcc_of_toolset, &gcc);
    find_gcc_of_settings(search, &gcc);
    if (!find_linker(search, "ld", compiler) && !gcc.has_linker)
        (void)find_linker(search, "ld.lld", compiler);
    find_clang_folders(search, compiler, &gcc);
    find_system_libraries(search, libc);
}

void linker_files_find(const struct file_search *search, const char *compiler,
        const char *libc)
{
    struct file_sights sights = {.device = 0};
    struct file_search own = *search;
    own.sights = &sights;
    find_all(&own, compiler, libc);
    file_sights_fini(&sights);
}

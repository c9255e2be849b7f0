/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/probe_memory.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/common/state/default_place.h"
#include "tools/common/state/state_folder.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    day_s = 86400,
    most_size = 1 << 16,
    slots = 512, /* files at most, of each question: two of one name are rare
                  */
    name_size = 32,
    lock_timeout_ms = 50
};

/* A later change shows in the times of a file. */
static const uint64_t settled_ns = UINT64_C(2000000000);

static bool is_in_use;

void probe_memory_use(void)
{
    is_in_use = true;
}

/* ---- Keys ---------------------------------------------------------------- */

static bool decides(const char *variable)
{
    static const char *const names[] = {
            "OPENCL_", "OCL_ICD_", "LD_", "PYOPENCL_", "GLIBC_TUNABLES="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
    return false;
}

void probe_key_init(struct probe_key *key, const char *what)
{
    char folder[path_size];
    *key = (struct probe_key){.what = what, .is_usable = is_in_use};
    if (!is_in_use) return;
    key->stream = open_memstream(&key->text, &key->size);
    key->is_usable = key->stream != NULL && path_working(folder);
    if (!key->is_usable) return;
    (void)fprintf(key->stream, "%s\n%s\n", what, folder);
    for (char **entry = environment_all(); entry != NULL && *entry != NULL;
            entry++) {
        if (!decides(*entry)) continue;
        /* It could pass for two. */
        if (strchr(*entry, '\n') != NULL) key->is_usable = false;
        (void)fprintf(key->stream, "%s\n", *entry);
    }
}

void probe_key_add_file(struct probe_key *key, const char *path)
{
    struct file_facts facts;
    if (!key->is_usable) return;
    if (file_facts_at(&facts, file_here, path) != 0) {
        (void)fprintf(key->stream, "%s -\n", path);
        return;
    }
    if (facts.changed_ns + settled_ns > clock_epoch_ns())
        key->is_usable = false;
    (void)fprintf(key->stream,
            "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
            path, facts.device, facts.number, facts.size, facts.modified_ns,
            facts.changed_ns);
}

struct kinds {
    struct probe_key *key;
    char path[path_size]; /* of their folder */
};

static int add_kind(void *user, const char *name)
{
    struct kinds *kinds = user;
    const size_t length = strlen(kinds->path);
    (void)snprintf(
            kinds->path + length, sizeof kinds->path - length, "/%s", name);
    probe_key_add_file(kinds->key, kinds->path);
    kinds->path[length] = '\0';
    return 0;
}

/* And what it has for kinds of processors, which is looked at first. */
static void add_folder(struct probe_key *key, const char *folder)
{
    struct kinds kinds = {.key = key};
    probe_key_add_file(key, folder);
    if (snprintf(kinds.path, sizeof kinds.path, "%s/glibc-hwcaps", folder)
            < path_size)
        (void)folder_each_of(kinds.path, add_kind, &kinds);
}

void probe_key_add_folders(struct probe_key *key)
{
    static const char *const usual[] = {"/etc/ld.so.cache",
            "/etc/ld.so.preload", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
            "/usr/local/lib", ("/usr/lib/" DNNL_CACHE_MULTIARCH)};
    char folder[path_size];
    const char *list = getenv("LD_LIBRARY_PATH");
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add_folder(key, usual[i]);
    /* $ORIGIN is another folder for each program. */
    if (list != NULL && strchr(list, '$') != NULL) key->is_usable = false;
    while (list != NULL && *list != '\0') {
        const size_t size = strcspn(list, ":;");
        if (size >= sizeof folder) key->is_usable = false;
        (void)snprintf(folder, sizeof folder, "%.*s",
                size < sizeof folder ? (int)size : 0, list);
        add_folder(key, folder[0] != '\0' ? folder : ".");
        list += size;
        if (*list != '\0') list++;
    }
}

void probe_key_fini(struct probe_key *key)
{
    if (key->stream != NULL) (void)fclose(key->stream);
    free(key->text);
    *key = (struct probe_key){.text = NULL};
}

/* False: it cannot be used. */
static bool is_complete(struct probe_key *key)
{
    return key->is_usable && fflush(key->stream) == 0 && !ferror(key->stream)
           && key->size < most_size / 2;
}

const char *probe_key_last_line(struct probe_key *key)
{
    if (!is_complete(key) || key->size == 0) return NULL;
    const char *at = key->text + key->size - 1;
    while (at > key->text && at[-1] != '\n')
        at--;
    return at;
}

void probe_key_refuse(struct probe_key *key)
{
    key->is_usable = false;
}

bool probe_key_ends_with(struct probe_key *key, const char *line)
{
    const char *last = probe_key_last_line(key);
    return last != NULL && strcmp(last, line) == 0;
}

/* ---- The file ------------------------------------------------------------ */

/* FNV-1a. */
static uint64_t sum_of(const char *text)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return sum;
}

/* file_none: none. A program with more rights than its user's takes no place
 * from the user. */
static int open_folder(bool make)
{
    static const char *const places[][2] = {
            {"XDG_CACHE_HOME", "dnnl_cache_loaders"},
            {"HOME", ".cache/dnnl_cache_loaders"}};
    char path[path_size];
    char why[2 * path_size];
    const char *digests = environment_get("DNNL_CACHE_FILE_DIGESTS");
    if (digests != NULL && strcmp(digests, "0") == 0) return file_none;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *base = environment_get(places[i][0]);
        if (base == NULL || base[0] != '/') continue;
        if (snprintf(path, sizeof path, "%s/%s", base, places[i][1])
                        >= (int)sizeof path
                || default_place_is_anothers(
                        why, sizeof why, places[i][0], base, path))
            return file_none;
        return state_folder_open_path(path, make);
    }
    return file_none;
}

static void name_of(char name[name_size], const struct probe_key *key)
{
    (void)snprintf(name, name_size, "answer-%s-%03x", key->what,
            (unsigned)(sum_of(key->text) % (uint64_t)slots));
}

/* "SUM SECONDS SIZE" and a line's end, the key of that size, the answer; the
 * sum is of all behind it. NULL: it is another key's, old, or damaged. */
static const char *answer_in(const char *text, const struct probe_key *key)
{
    uint64_t sum;
    uint64_t seconds;
    size_t size;
    int begin = 0;
    const uint64_t now = (uint64_t)time(NULL);
    if (sscanf(text, "%16" SCNx64 "%n", &sum, &begin) != 1 || begin != 16
            || sum_of(text + begin) != sum
            || sscanf(text + begin, " %" SCNu64 " %zu", &seconds, &size) != 2
            || seconds > now || now - seconds >= day_s || size != key->size)
        return NULL;
    const char *at = strchr(text, '\n');
    if (at == NULL || strlen(++at) < size || memcmp(at, key->text, size) != 0)
        return NULL;
    return at + size;
}

/* Somebody may have put it there while the folder's mode let others. */
static bool is_own_file(int folder, const char *name)
{
    struct file_facts facts;
    return file_facts_of_link(&facts, folder, name) == 0
           && facts.kind == file_is_plain && file_is_own(&facts)
           && (facts.mode & 0077) == 0;
}

char *probe_memory_find(struct probe_key *key)
{
    char name[name_size];
    char *answer = NULL;
    const int folder = is_complete(key) ? open_folder(false) : file_none;
    if (folder < 0) return NULL;
    name_of(name, key);
    char *text = is_own_file(folder, name)
                         ? state_folder_read(folder, name, most_size)
                         : NULL;
    (void)file_close(folder);
    const char *found = text != NULL ? answer_in(text, key) : NULL;
    if (found != NULL) answer = strdup(found);
    free(text);
    return answer;
}

void probe_memory_keep(struct probe_key *key, const char *answer)
{
    char name[name_size];
    char *rest = NULL;
    char *text = NULL;
    const int folder = is_complete(key) ? open_folder(true) : file_none;
    if (folder < 0) return;
    name_of(name, key);
    const int lock = state_folder_lock(folder, lock_timeout_ms);
    if (lock >= 0
            && asprintf(&rest, " %jd %zu\n%s%s", (intmax_t)time(NULL),
                       key->size, key->text, answer)
                       > 0) {
        const int size =
                asprintf(&text, "%016" PRIx64 "%s", sum_of(rest), rest);
        if (size > 0 && size < most_size)
            (void)state_folder_replace(folder, name, text, (size_t)size);
        if (size > 0) free(text);
        free(rest);
    }
    state_folder_unlock(lock);
    (void)file_close(folder);
}

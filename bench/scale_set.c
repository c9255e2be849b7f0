/* SPDX-License-Identifier: Apache-2.0 */
#include "scale_set.h"

#include "failure.h"
#include "samples.h"
#include "scale_blob.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void log_line(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)user;
    if (level != dnnl_cache_log_info) fprintf(stderr, "%s\n", text);
}

/* ---- Making -------------------------------------------------------------- */

static bool open_store(struct scale_set *set, uint64_t capacity)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = set->path;
    options.capacity = capacity;
    options.log = log_line;
    /* What is measured does not depend on the clock of the day. */
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    return succeeded(
            dnnl_cache_store_open(&set->store, set->kind->name, &options),
            "opening a store");
}

static bool put(struct scale_set *set, unsigned number, size_t size)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(set->store);
    uint8_t id[scale_id_size];
    return succeeded(s->put(s->user, scale_id_size, scale_id(id, number), size,
                             scale_blob(number), NULL),
            "a put");
}

static bool fill(struct scale_set *set)
{
    enum { shown = 500 }; /* entries between two words on how far it is */
    char row[64];
    bool done = true;
    snprintf(row, sizeof row, "%s, %u entries, filling", set->kind->name,
            set->entries);
    for (unsigned i = 0; i < set->entries && done; i++) {
        const bool large = scale_is_large(i, set->entries);
        if (i % shown == 0) progress(row, i, set->entries);
        done = put(set, i, large ? scale_large_size : scale_small_size);
    }
    progress_end();
    return done;
}

/* What is on its way to the disk would be in the way of what is measured. */
static void settle(const struct scale_set *set)
{
    const int fd = open(set->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)syncfs(fd);
    close(fd);
}

bool scale_set_init(struct scale_set *set, const struct store_kind *kind,
        const char *folder, unsigned entries)
{
    char plain[4200];
    *set = (struct scale_set){
            .kind = kind, .entries = entries, .next = entries};
    if (mkdir(folder, 0700) != 0) {
        failure_set("%.150s: %s", folder, strerror(errno));
        return false;
    }
    snprintf(set->folder, sizeof set->folder, "%s", folder);
    snprintf(set->path, sizeof set->path, "%s/store", folder);
    snprintf(plain, sizeof plain, "%s/plain", folder);
    const bool done = open_store(set, DNNL_CACHE_STORE_UNLIMITED) && fill(set)
                      && scale_files_make(&set->files, plain, entries);
    if (done) settle(set);
    return done;
}

void scale_set_fini(struct scale_set *set)
{
    dnnl_cache_store_close(set->store);
    if (set->folder[0] != '\0') scratch_remove(set->folder);
    *set = (struct scale_set){.kind = NULL};
}

/* ---- Sides --------------------------------------------------------------- */

bool scale_set_get(void *arg, double *value)
{
    struct scale_set *set = arg;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(set->store);
    uint8_t id[scale_id_size];
    const uint8_t *blob;
    size_t size;
    set->large = scale_next_large(set->large);
    const unsigned number = scale_large_number(set->large, set->entries);
    scale_id(id, number);
    const uint64_t began = clock_ns();
    const dnnl_status_t status =
            s->get(s->user, scale_id_size, id, &size, &blob);
    if (!succeeded(status, "a get")) return false;
    const bool right = size == scale_large_size && scale_blob_is(blob, number);
    s->release(s->user, size, blob);
    *value = (double)(clock_ns() - began);
    if (!right) failure_set("a get found other bytes");
    return right;
}

static uint64_t count_evicted(const struct scale_set *set)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_get_statistics(set->store, &statistics);
    return statistics.evictions;
}

bool scale_set_put(void *arg, double *value)
{
    enum { good_part = 8 }; /* an eighth and more */
    struct scale_set *set = arg;
    const uint64_t began = clock_ns();
    const bool done = put(set, set->next++, scale_small_size);
    *value = (double)(clock_ns() - began);
    const uint64_t evicted = count_evicted(set);
    const uint64_t more = evicted - set->evicted;
    if (more > set->entries / good_part
            && set->batch_count < scale_batches_most)
        set->batches[set->batch_count++] = *value / (double)more;
    set->evicted = evicted;
    return done;
}

double scale_set_room_ns(const struct scale_set *set)
{
    double costs[scale_batches_most];
    if (set->batch_count == 0) return 0;
    memcpy(costs, set->batches, sizeof costs);
    return median(costs, set->batch_count);
}

/* ---- Making full --------------------------------------------------------- */

static bool replace_large(struct scale_set *set)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(set->store);
    uint8_t id[scale_id_size];
    bool done = true;
    for (unsigned i = 0; i < scale_large_count && done; i++) {
        scale_id(id, scale_large_number(i, set->entries));
        done = succeeded(s->remove(s->user, scale_id_size, id), "a remove")
               && put(set, set->next++, scale_small_size);
    }
    return done;
}

/* Some puts are needed until there is really no room, and the first that make
 * it are to be like all others. */
static bool put_until_full(struct scale_set *set)
{
    enum { more = 20 };
    unsigned after = 0;
    double ignored;
    for (unsigned i = 0; i < set->entries + more && after < more; i++) {
        if (!scale_set_put(set, &ignored)) return false;
        if (set->evicted > 0) after++;
    }
    if (after < more) failure_set("the store does not become full");
    return after == more;
}

bool scale_set_make_full(struct scale_set *set)
{
    if (!replace_large(set) || !scale_files_make_small(&set->files))
        return false;
    const uint64_t full = set->kind->full(set->store, set->path, set->entries);
    dnnl_cache_store_close(set->store);
    set->store = NULL;
    if (!open_store(set, full) || !put_until_full(set)) return false;
    settle(set);
    return true;
}

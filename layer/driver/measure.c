/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/driver/measure.h"

#include "layer/driver/state_start.h"
#include "layer/settings/state_place.h"
#include "src/platform/file.h"
#include "tools/common/state/state_lines.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* A file is written for milliseconds, on the thread that builds: seldom. */
enum {
    loads_to_believe = 8,
    loads_to_remember = 128, /* older ones count less and less */
    builds_to_try_again = 64,
    notes_to_write_down = 1024, /* before the end of the process */
    most_devices = 64,          /* in the file, too */
    most_bytes = 64 << 10,
    lock_timeout_ms = 200
};

static const char file_name[] = "speed";

struct sums {
    uint64_t loads;
    uint64_t load_ns;
    uint64_t compile_ns;
    uint64_t passed_by; /* builds since the layer stood aside, or last tried */
};

struct device {
    uint64_t high; /* hash of the engine's ID */
    uint64_t low;
    struct sums known; /* what all processes found, as far as is known here */
    struct sums fresh; /* what this one found and has not written down */
};

struct devices {
    size_t count;
    struct device items[most_devices];
};

static struct {
    pthread_mutex_t lock; /* guards what follows; a leaf */
    struct devices devices;
} measured = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
    (void)pthread_mutex_lock(&measured.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&measured.lock);
}

/* What the parent found it writes down itself. */
static void after_fork_in_child(void)
{
    for (size_t i = 0; i < measured.devices.count; i++)
        measured.devices.items[i].fresh = (struct sums){0};
    (void)pthread_mutex_unlock(&measured.lock);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- Sums ---------------------------------------------------------------- */

static bool is_slower(const struct sums *sums)
{
    return sums->loads >= loads_to_believe && sums->load_ns >= sums->compile_ns;
}

static void halve(struct sums *sums)
{
    sums->loads /= 2;
    sums->load_ns /= 2;
    sums->compile_ns /= 2;
}

/* Limits times, so that the sum of 128 cannot overflow. */
static uint64_t at_most_an_hour(uint64_t ns)
{
    const uint64_t hour = UINT64_C(3600000000000);
    return ns < hour ? ns : hour;
}

static void add(struct sums *sums, const struct sums *more)
{
    sums->loads += more->loads;
    sums->load_ns += more->load_ns;
    sums->compile_ns += more->compile_ns;
    while (sums->loads > loads_to_remember)
        halve(sums);
}

/* While the driver compiles there are few loads: each halves the weight of
 * those before, so that a handful is enough to switch back. */
static void make_light(struct sums *sums)
{
    if (sums->loads >= 2 * loads_to_believe) halve(sums);
}

/* ---- The file ------------------------------------------------------------ */

/* A line for each device. False: no line of ours, or numbers that cannot be. */
static bool parse(struct device *device, const char *line)
{
    const uint64_t most = loads_to_remember * at_most_an_hour(UINT64_MAX);
    struct sums *s = &device->known;
    *device = (struct device){.high = 0};
    return sscanf(line,
                   "%16" SCNx64 "%16" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64
                   " %" SCNu64,
                   &device->high, &device->low, &s->loads, &s->load_ns,
                   &s->compile_ns, &s->passed_by)
                   == 6
           && s->loads <= loads_to_remember && s->load_ns <= most
           && s->compile_ns <= most && s->passed_by <= builds_to_try_again;
}

static void read_file(struct devices *devices, int folder)
{
    char line[state_line_size];
    char *text = state_folder_read(folder, file_name, most_bytes);
    const char *at = text;
    devices->count = 0;
    while (text != NULL && devices->count < most_devices
            && state_lines_next(line, &at))
        if (parse(&devices->items[devices->count], line)) devices->count++;
    free(text);
}

static bool write_file(int folder, const struct devices *devices)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return false;
    for (size_t i = 0; i < devices->count; i++) {
        const struct device *device = &devices->items[i];
        const struct sums *s = &device->known;
        char fields[state_line_size];
        char line[state_line_size];
        (void)snprintf(fields, sizeof fields,
                "%016" PRIx64 "%016" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                " %" PRIu64,
                device->high, device->low, s->loads, s->load_ns, s->compile_ns,
                s->passed_by);
        if (state_line_make(line, fields) > 0) (void)fputs(line, out);
    }
    const bool good = fclose(out) == 0
                      && state_folder_replace(folder, file_name, text, size);
    free(text);
    return good;
}

/* NULL: there are too many. */
static struct device *find(struct devices *devices, uint64_t high, uint64_t low)
{
    for (size_t i = 0; i < devices->count; i++)
        if (devices->items[i].high == high && devices->items[i].low == low)
            return &devices->items[i];
    if (devices->count == most_devices) return NULL;
    devices->items[devices->count] = (struct device){.high = high, .low = low};
    return &devices->items[devices->count++];
}

/* Adds what one process found to what all did. */
static void merge(struct device *all, const struct device *one)
{
    if (is_slower(&all->known))
        for (uint64_t i = 0; i < one->fresh.loads; i++)
            make_light(&all->known);
    add(&all->known, &one->fresh);
    all->known.passed_by = one->known.passed_by;
}

static bool is_fresh(const struct device *device)
{
    return device->fresh.loads > 0 || device->fresh.passed_by > 0;
}

/* Adds what is fresh in ours to the file, and tells what is in there then. */
static bool update_file(struct devices *in_file, const struct devices *ours)
{
    const int folder = state_folder_open();
    const int lock =
            folder >= 0 ? state_folder_lock(folder, lock_timeout_ms) : -1;
    bool good = lock >= 0;
    if (good) {
        read_file(in_file, folder);
        for (size_t i = 0; i < ours->count; i++) {
            const struct device *one = &ours->items[i];
            struct device *all =
                    is_fresh(one) ? find(in_file, one->high, one->low) : NULL;
            if (all != NULL) merge(all, one);
        }
        good = write_file(folder, in_file);
    }
    state_folder_unlock(lock);
    (void)file_close(folder);
    return good;
}

/* What is fresh, which it is no longer. */
static bool take_fresh(struct devices *taken)
{
    bool any = false;
    (void)pthread_mutex_lock(&measured.lock);
    *taken = measured.devices;
    for (size_t i = 0; i < taken->count; i++) {
        any = any || is_fresh(&taken->items[i]);
        measured.devices.items[i].fresh = (struct sums){0};
    }
    (void)pthread_mutex_unlock(&measured.lock);
    return any;
}

/* Writes down what is fresh, and learns what other processes found. If it
 * cannot be written it is gone: it was a measurement. */
static void write_down(void)
{
    struct devices ours;
    struct devices in_file;
    if (!take_fresh(&ours) || !update_file(&in_file, &ours)) return;
    (void)pthread_mutex_lock(&measured.lock);
    for (size_t i = 0; i < in_file.count; i++) {
        const struct device *all = &in_file.items[i];
        struct device *device = find(&measured.devices, all->high, all->low);
        if (device == NULL) continue;
        device->known = all->known;
        add(&device->known, &device->fresh); /* meanwhile */
    }
    (void)pthread_mutex_unlock(&measured.lock);
}

/* ---- Calls --------------------------------------------------------------- */

void measure_start(int folder)
{
    struct devices in_file;
    read_file(&in_file, folder);
    (void)pthread_mutex_lock(&measured.lock);
    measured.devices = in_file;
    (void)pthread_mutex_unlock(&measured.lock);
}

static struct device *find_locked(XXH128_hash_t hash)
{
    return find(&measured.devices, hash.high64, hash.low64);
}

bool measure_driver_is_faster(size_t device_id_size, const uint8_t *device_id)
{
    const XXH128_hash_t hash = XXH3_128bits(device_id, device_id_size);
    bool aside = false;
    bool write = false;
    state_start();
    (void)pthread_mutex_lock(&measured.lock);
    struct device *device = find_locked(hash);
    if (device != NULL && is_slower(&device->known)) {
        aside = ++device->known.passed_by < builds_to_try_again;
        if (!aside) device->known.passed_by = 0;
        write = ++device->fresh.passed_by >= notes_to_write_down;
    }
    (void)pthread_mutex_unlock(&measured.lock);
    if (write) write_down();
    return aside;
}

void measure_note_load(size_t device_id_size, const uint8_t *device_id,
        uint64_t load_ns, uint64_t compile_ns)
{
    const XXH128_hash_t hash = XXH3_128bits(device_id, device_id_size);
    const struct sums load = {
            .loads = 1,
            .load_ns = at_most_an_hour(load_ns),
            .compile_ns = at_most_an_hour(compile_ns),
    };
    bool write = false;
    if (compile_ns == 0) return;
    state_start();
    (void)pthread_mutex_lock(&measured.lock);
    struct device *device = find_locked(hash);
    if (device != NULL) {
        if (is_slower(&device->known)) make_light(&device->known);
        add(&device->known, &load);
        add(&device->fresh, &load);
        write = device->fresh.loads >= notes_to_write_down;
    }
    (void)pthread_mutex_unlock(&measured.lock);
    if (write) write_down();
}

void measure_close(void)
{
    write_down();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/driver_files.h"

#include "dnnl_cache/sys/inside.h"
#include "layer/settings/state_place.h"
#include "layer/storage/storage.h"
#include "src/platform/file.h"
#include "tools/common/state/driver_names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A state folder that is locked, full or read-only mostly stays so, each
 * attempt may wait for the lock, and of some devices the parts cannot be told:
 * of a process so many attempts fail for a driver, and others have theirs. */
enum { most_drivers = 16, most_failures = 3, is_done = most_failures };

/* Without a lock, which a thread might hold while the process forks. */
struct driver {
    atomic_uint_least64_t key; /* 0: of none */
    atomic_uint failures;      /* is_done: it is noted, or no attempt is left */
};
/* Of more drivers the file is looked at each time: the last one is of all
 * these, and never noted. */
static struct driver drivers[most_drivers + 1];

static struct driver *find_driver(const char *key)
{
    enum { base = 16 };
    const uint64_t number = strtoull(key, NULL, base);
    for (size_t i = 0; i < most_drivers; i++) {
        uint_least64_t there = 0;
        if (atomic_compare_exchange_strong(&drivers[i].key, &there, number)
                || there == number)
            return &drivers[i];
    }
    return &drivers[most_drivers];
}

static bool find_key(
        char key[driver_names_key_size], size_t id_size, const uint8_t *id)
{
    const dnnl_cache_id_field_t none = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_id_field_t field = none;
    size_t at = 0;
    for (; dnnl_cache_id_next_field(id_size, id, &at, &field) == dnnl_success;
            field = none)
        if (strcmp(field.name, "driver_components") == 0)
            return driver_names_key(key, field.size, field.value);
    return false;
}

static bool add(int folder, const char *key, cl_device_id device)
{
    size_t size = 0;
    char *parts = NULL;
    bool is_added = false;
    if (dnnl_cache_device_get_identified_parts(device, &size, NULL)
                    == dnnl_success
            && size > 0)
        parts = malloc(size);
    if (parts != NULL
            && dnnl_cache_device_get_identified_parts(device, &size, parts)
                       == dnnl_success)
        is_added = driver_names_add(folder, key, size, parts);
    free(parts);
    return is_added;
}

/* False: it could not be done. */
static bool note_key(const char *key, cl_device_id device)
{
    const int folder = state_folder_open();
    if (folder < 0) return false;
    char *there = driver_names_read(folder);
    const bool is_there =
            driver_names_have(there, key) || add(folder, key, device);
    free(there);
    (void)file_close(folder);
    return is_there;
}

static void note_device(const struct built_device *d)
{
    char key[driver_names_key_size];
    if (d->id == NULL || !find_key(key, d->id_size, d->id)) return;
    struct driver *driver = find_driver(key);
    if (atomic_load(&driver->failures) >= most_failures) return;
    if (!note_key(key, d->device))
        atomic_fetch_add(&driver->failures, 1);
    else if (driver != &drivers[most_drivers])
        atomic_store(&driver->failures, is_done);
}

void driver_files_note(const struct build *build)
{
    if (!storage_can_keep()) return;
    for (size_t i = 0; i < build->count; i++)
        note_device(&build->devices[i]);
}

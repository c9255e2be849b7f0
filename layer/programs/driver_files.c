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

/* Drivers that were noted, by their keys, 0 behind the last: without a lock,
 * which a thread might hold while the process forks. Of more drivers the file
 * is looked at each time. */
enum { most_noted = 16, key_base = 16 };
static atomic_uint_least64_t noted[most_noted];

/* A state folder that is locked, full or read-only mostly stays so, and each
 * attempt may wait for the lock: of a process so many fail, of all drivers. */
enum { most_failures = 3 };
static atomic_uint failures;

static bool is_noted(const char *key)
{
    const uint64_t number = strtoull(key, NULL, key_base);
    for (size_t i = 0; i < most_noted; i++)
        if (atomic_load(&noted[i]) == number) return true;
    return false;
}

static void set_noted(const char *key)
{
    const uint64_t number = strtoull(key, NULL, key_base);
    for (size_t i = 0; i < most_noted; i++) {
        uint_least64_t there = 0;
        if (atomic_compare_exchange_strong(&noted[i], &there, number)
                || there == number)
            return;
    }
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
    if (atomic_load(&failures) >= most_failures || d->id == NULL
            || !find_key(key, d->id_size, d->id) || is_noted(key))
        return;
    if (note_key(key, d->device))
        set_noted(key);
    else
        atomic_fetch_add(&failures, 1);
}

void driver_files_note(const struct build *build)
{
    if (!storage_can_keep()) return;
    for (size_t i = 0; i < build->count; i++)
        note_device(&build->devices[i]);
}

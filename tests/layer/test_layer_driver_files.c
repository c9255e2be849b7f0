/* SPDX-License-Identifier: Apache-2.0 */
/* Which drivers have the names of their files beside the store, if those of
 * others cannot be told. */
#include "dnnl_cache/sys/inside.h"
#include "layer/programs/driver_files.h"
#include "layer/settings/state_place.h"
#include "layer_process.h"
#include "layer_store.h"
#include "src/blob/id.h"
#include "src/platform/file.h"
#include "test.h"
#include "tools/common/state/driver_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stands for a device. */
struct device {
    char driver[32];
    bool is_mute; /* its parts cannot be told */
    unsigned asked;
};

/* The library's, which needs a driver. */
dnnl_status_t dnnl_cache_device_get_identified_parts(
        cl_device_id device, size_t *size, char *text)
{
    static const char parts[] = "libdriver.so.1 build-id 0123456789abcdef";
    struct device *d = (struct device *)device;
    d->asked++;
    if (d->is_mute) return dnnl_runtime_error;
    if (text != NULL) memcpy(text, parts, sizeof parts);
    *size = sizeof parts;
    return dnnl_success;
}

static void make_id(struct id_builder *id, const struct device *device)
{
    id_builder_init(id, blob_kind_program);
    id_put_digest(
            id, id_driver_components, device->driver, strlen(device->driver));
    EXPECT_OK(id_builder_status(id));
}

/* As a miss that was compiled for the device. */
static void note(struct device *device)
{
    struct id_builder id;
    struct build *build = calloc(1, sizeof *build + sizeof build->devices[0]);
    if (build == NULL) abort();
    make_id(&id, device);
    build->count = 1;
    build->devices[0].device = (cl_device_id)device;
    build->devices[0].id = id.bytes.data;
    build->devices[0].id_size = id.bytes.size;
    driver_files_note(build);
    id_builder_fini(&id);
    free(build);
}

static bool is_noted(const struct device *device)
{
    char key[driver_names_key_size] = "";
    struct id_builder id;
    dnnl_cache_id_field_t field = DNNL_CACHE_ID_FIELD_INIT;
    size_t at = 0;
    make_id(&id, device);
    EXPECT_OK(dnnl_cache_id_next_field(
            id.bytes.size, id.bytes.data, &at, &field));
    EXPECT_TRUE(driver_names_key(key, field.size, field.value));
    id_builder_fini(&id);
    const int folder = state_folder_open();
    EXPECT_TRUE(folder >= 0);
    char *text = driver_names_read(folder);
    const bool is = driver_names_have(text, key);
    free(text);
    (void)file_close(folder);
    return is;
}

/* Runs body with a store that has an entry. */
static void run(int (*body)(void *user))
{
    struct layer_store store;
    layer_store_init(&store, 0, NULL);
    ASSERT_EQ(layer_store_fill(&store), 0);
    EXPECT_EQ(layer_process_run(store.variables, body, NULL), 0);
}

static int note_a_mute_one_and_another(void *user)
{
    struct device mute = {"mute", true, 0};
    struct device other = {"other", false, 0};
    (void)user;
    for (int i = 0; i < 5; i++)
        note(&mute);
    EXPECT_EQ(3, mute.asked);
    note(&other);
    EXPECT_TRUE(is_noted(&other));
    EXPECT_FALSE(is_noted(&mute));
    /* It is asked for its size, and for the text; once. */
    note(&other);
    EXPECT_EQ(2, other.asked);
    return test_has_failed();
}

TEST_C(LayerDriverFiles, OfOneDriverThatCannotBeToldDoNotStopAnother)
{
    run(note_a_mute_one_and_another);
}

/* One that fails for a while is noted when it does not. */
static int note_one_that_fails_twice(void *user)
{
    struct device device = {"late", true, 0};
    (void)user;
    note(&device);
    note(&device);
    device.is_mute = false;
    note(&device);
    EXPECT_TRUE(is_noted(&device));
    return test_has_failed();
}

TEST_C(LayerDriverFiles, OfADriverThatFailedTwiceAreNoted)
{
    run(note_one_that_fails_twice);
}

/* More drivers than a process tells apart: those behind are still noted, and
 * have three attempts that fail together. */
static int note_many(void *user)
{
    struct device d = {"", false, 0};
    struct device mute = {"mute", true, 0};
    (void)user;
    for (int i = 0; i < 18; i++) {
        (void)snprintf(d.driver, sizeof d.driver, "driver %d", i);
        note(&d);
        EXPECT_TRUE(is_noted(&d));
    }
    for (int i = 0; i < 5; i++) {
        (void)snprintf(mute.driver, sizeof mute.driver, "mute %d", i);
        note(&mute);
    }
    EXPECT_EQ(3, mute.asked);
    return test_has_failed();
}

TEST_C(LayerDriverFiles, OfManyDriversAreNoted)
{
    run(note_many);
}

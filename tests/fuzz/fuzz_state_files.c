/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the small files of the layer's state folder, once as they are
 * and once with the lines' check-sums made right: the list of crashes, the file
 * of a process that ended while it loaded. A list that is
 * read is sorted and has no ID twice; what is forgiven or cleared is gone; a
 * marker of a process that is not there becomes events and is removed; a build
 * of a driver that is added to the list of their parts is found there.
 */
#include "pieces.h"
#include "repair_lines.h"
#include "scratch.h"
#include "src/platform/file.h"
#include "tools/common/state/crash_marker_files.h"
#include "tools/common/state/driver_names.h"
#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"

#include <time.h>

static const uint64_t now_s = UINT64_C(1700000000);

/* The clock of what is read, and of who writes: always the same. */
time_t time(time_t *out)
{
    if (out != NULL) *out = (time_t)now_s;
    return (time_t)now_s;
}

static int compare(const struct crash_key *a, const struct crash_key *b)
{
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->low > b->low) - (a->low < b->low);
}

static size_t check_list(int folder)
{
    struct crashes crashes;
    REQUIRE(crashes_read(&crashes, folder, now_s) == 0);
    for (size_t i = 0; i < crashes.count; i++) {
        struct crash *crash = &crashes.items[i];
        if (i > 0) REQUIRE(compare(&crash[-1].key, &crash->key) < 0);
        REQUIRE(crashes_find(&crashes, crash->key) == crash);
        const enum crash_state state = crash_state_of(crash);
        REQUIRE(state != crash_state_quarantined || crash->is_replaced);
        REQUIRE(crashes_take_replaced(&crashes, crash->key)
                == (state == crash_state_replace));
        REQUIRE(crashes_forgive(&crashes, crash->key));
        REQUIRE(!crashes_forgive(&crashes, crash->key));
        REQUIRE(crash_state_of(crash) == crash_state_load);
    }
    const size_t count = crashes.count;
    crashes_fini(&crashes);
    return count;
}

static size_t check_parts(const char *text, const char *key)
{
    struct driver_part part;
    size_t count = 0;
    for (; driver_names_next(&part, &text, key); count++)
        REQUIRE(part.name[0] != '\0' && strlen(part.name) < sizeof part.name
                && strchr(part.how, ' ') != NULL);
    return count;
}

/* What is added is found, and what is there of another build stays. */
static void check_drivers(int folder)
{
    static const char key[] = "0123456789abcdef";
    static const char other[] = "fedcba9876543210";
    static const char parts[] = "a.so build-id 01\0b.so content 02";
    char *text = driver_names_read(folder);
    const size_t count = text != NULL ? check_parts(text, key) : 0;
    const size_t others = text != NULL ? check_parts(text, other) : 0;
    REQUIRE(driver_names_have(text, key) == (count > 0));
    free(text);
    REQUIRE(driver_names_add(folder, key, sizeof parts, parts));
    text = driver_names_read(folder);
    REQUIRE(text != NULL);
    REQUIRE(check_parts(text, key) == (count > 0 ? count : 2));
    REQUIRE(check_parts(text, other) <= others);
    free(text);
}

static void use(
        int folder, const struct piece *list, const struct piece *marker)
{
    size_t cleared = 0;
    scratch_write("state/crashes", list->data, list->size);
    const size_t count = check_list(folder);
    scratch_write(
            "state/" CRASH_MARKER_FILES_PREFIX "1", marker->data, marker->size);
    crash_marker_files_collect(folder, NULL);
    REQUIRE(check_list(folder) >= count);
    crashes_note(folder, (struct crash_key){1, 2}, crash_event_death, now_s);
    const size_t more = check_list(folder);
    REQUIRE(more > 0 && more >= count);
    REQUIRE(crashes_clear(folder, NULL, NULL, &cleared) && cleared == more);
    REQUIRE(check_list(folder) == 0);
    scratch_write("state/drivers", list->data, list->size);
    check_drivers(folder);
}

static int open_folder(void)
{
    char path[scratch_path_size];
    scratch_path(path, "state");
    const int folder = state_folder_open_path(path, true);
    REQUIRE(folder >= 0);
    return folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int folder = file_none;
    struct pieces pieces = {data, size};
    if (folder == file_none) folder = open_folder();
    struct piece marker = pieces_next(&pieces);
    struct piece list = pieces_rest(&pieces);
    use(folder, &list, &marker);
    struct piece repaired = repair_lines(&list);
    use(folder, &repaired, &marker);
    free(repaired.data);
    free(list.data);
    free(marker.data);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any texts as what users and tools write for the layer and the commands: lists
 * of applications, lists of layers, sizes and ages, build options, classes of
 * launches; and as what an ARM kernel tells of its processors. A list with an
 * entry has it, and without it has not, whatever else is in it; a number that
 * is read is the one of a second reading; a class is the same when it is
 * written and read again.
 */
#include "pieces.h"
#include "src/drivers/launch_class.h"
#include "src/drivers/option_words.h"
#include "src/platform/processor.h"
#include "tools/common/state/applications.h"
#include "tools/common/text/option_value.h"
#include "tools/common/text/units.h"
#include "tools/run/conf_edit.h"
#include "tools/run/layer_list.h"

/* ---- Lists --------------------------------------------------------------- */

static bool has_entry(const char *list, const char *entry)
{
    const size_t wanted = strlen(entry);
    for (;; list++) {
        const size_t size = strcspn(list, ":");
        if (size == wanted && memcmp(list, entry, size) == 0) return true;
        list += size;
        if (*list == '\0') return false;
    }
}

static void check_applications(const char *list, const char *path)
{
    const bool is_named = applications_name(list, path);
    REQUIRE(applications_admit(NULL, list, path) == !is_named);
    REQUIRE(applications_admit(list, "", path)
            == (is_named || list[0] == '\0'));
    REQUIRE(list[0] == '\0' || !applications_admit(list, list, path));
    if (path[0] == '\0' || strchr(path, ':') != NULL) return;
    char *with = conf_edit_list_with(list, path);
    char *without = conf_edit_list_without(with, path);
    REQUIRE(with != NULL && without != NULL);
    REQUIRE(has_entry(with, path) && !has_entry(without, path));
    /* The entry names itself; a path without a slash is its own base name. */
    REQUIRE(applications_name(with, path) || strlen(path) >= 4096
            || (strchr(path, '/') != NULL && strrchr(path, '/')[1] == '\0'));
    free(with);
    free(without);
}

static void check_layers(const char *list, const char *path)
{
    char *with = layer_list_with(list, path);
    REQUIRE(with != NULL);
    char *without = layer_list_without(with, path);
    REQUIRE(without != NULL && strlen(without) <= strlen(with));
    /* "" has the name of "dir/", and stands for nothing in a list. */
    const char *slash = strrchr(path, '/');
    if ((slash != NULL ? slash[1] : path[0]) != '\0'
            && strchr(path, ':') == NULL) {
        REQUIRE(layer_list_has(with, path));
        REQUIRE(!layer_list_has(without, path));
    }
    free(with);
    free(without);
}

/* ---- Numbers ------------------------------------------------------------- */

static void check_numbers(const char *text)
{
    char shown[units_text_size];
    uint64_t bytes = 0;
    uint64_t seconds = 0;
    uint64_t number = 0;
    if (units_parse_size(&bytes, text)) units_print_size(shown, bytes);
    if (units_parse_age(&seconds, text)) {
        REQUIRE(seconds > 0 && text[strspn(text, "0123456789") + 1] == '\0');
        units_print_duration(shown, seconds);
        units_print_time(shown, seconds);
        units_print_utc(shown, seconds);
    }
    if (option_value_number(&number, text, UINT32_MAX)) {
        REQUIRE(number <= UINT32_MAX && units_parse_size(&bytes, text));
        REQUIRE(bytes == number);
    }
}

/* ---- Options and classes ------------------------------------------------- */

static bool check_word(const char *word, void *user)
{
    REQUIRE(strlen(word) <= *(const size_t *)user);
    return true;
}

static void check_options(const char *options)
{
    size_t most = strlen(options);
    REQUIRE(option_words_are(options, check_word, &most));
    REQUIRE(option_folders_are(options, check_word, &most));
}

static void check_classes(const char *list)
{
    struct launch_class class;
    struct launch_class again;
    char text[launch_class_text_size];
    while (*list != '\0' && launch_class_read_next(&class, &list)) {
        launch_class_write(text, &class);
        const char *at = text;
        REQUIRE(launch_class_read_next(&again, &at) && *at == '\0');
        REQUIRE(launch_class_is_same(&class, &again));
    }
}

static void check_processor(const char *cpuinfo)
{
    static struct processor processor; /* large */
    if (!processor_read_arm(&processor, cpuinfo, 0, NULL)) return;
    touch(processor.name, strlen(processor.name) + 1);
    touch(processor.features, strlen(processor.features) + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    char *first = pieces_text(&pieces);
    char *second = pieces_text(&pieces);
    check_applications(first, second);
    check_layers(first, second);
    check_numbers(first);
    check_options(first);
    check_classes(first);
    check_processor(first);
    free(first);
    free(second);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the layer's file of settings: a name, a value, then the text.
 * Settings that are read have names and no control characters; a text that can
 * be read can be read when a setting is changed in it, which has the new value
 * then, and no other one another. The same file is read as a configuration.
 */
#include "pieces.h"
#include "scratch.h"
#include "tools/common/state/configuration.h"
#include "tools/common/state/store_setting.h"
#include "tools/run/conf_edit.h"

enum { why_size = 128 };

struct found {
    const char *text; /* where strings lie */
    size_t size, count;
    char *last; /* the value of the last one with the name; owned */
    const char *name;
};

static void take(void *user, const char *name, const char *value, unsigned line)
{
    struct found *found = user;
    const char *const both[] = {name, value};
    REQUIRE(line > 0 && name[0] != '\0');
    for (size_t i = 0; i < 2; i++) {
        REQUIRE(both[i] >= found->text
                && both[i] + strlen(both[i]) <= found->text + found->size);
        for (const char *c = both[i]; *c != '\0'; c++)
            REQUIRE((unsigned char)*c >= ' ' || *c == '\t' || *c == '\r');
    }
    found->count++;
    if (found->name == NULL || strcmp(name, found->name) != 0) return;
    free(found->last);
    found->last = strdup(value);
}

static bool parse(struct found *found, const char *text, size_t size)
{
    char why[why_size] = "";
    char *copy = malloc(size + 1);
    REQUIRE(copy != NULL);
    memcpy(copy, text, size);
    copy[size] = '\0';
    found->text = copy;
    found->size = size;
    const bool good =
            configuration_parse(copy, size, take, found, why, sizeof why);
    REQUIRE(good || strlen(why) > 0);
    REQUIRE(conf_edit_is_good(text, size, why, sizeof why) == good);
    free(copy);
    return good;
}

static void change(const char *text, const char *name, const char *value)
{
    struct found before = {.name = name};
    struct found after = {.name = name};
    const char *why = "";
    const bool is_good = parse(&before, text, strlen(text));
    if (is_good && configuration_is_setting(name)
            && conf_edit_check(value, &why)) {
        char *made = conf_edit_set(text, name, value);
        REQUIRE(made != NULL && parse(&after, made, strlen(made)));
        char *got = conf_edit_get(made, name);
        REQUIRE((got == NULL) == (value[0] == '\0'));
        REQUIRE(got == NULL || strcmp(got, value) == 0);
        REQUIRE(after.count <= before.count + 1);
        free(got);
        free(made);
    }
    free(before.last);
    free(after.last);
}

static void count_reports(void *user, const char *text)
{
    touch(text, strlen(text) + 1);
    ++*(size_t *)user;
}

static void read_file(const char *text, size_t size)
{
    size_t reports = 0;
    char path[scratch_path_size];
    const struct configuration_reader reader = {
            .report = count_reports, .user = &reports};
    struct found found = {.name = NULL};
    scratch_write("layer.conf", text, size);
    scratch_path(path, "layer.conf");
    struct configuration *c = configuration_read_file(&reader, path, false);
    for (size_t i = 0; configuration_setting(i) != NULL; i++) {
        const char *value =
                configuration_get(c, configuration_setting(i), NULL);
        if (value == NULL) continue;
        struct store_setting setting;
        touch(value, strlen(value) + 1);
        REQUIRE(value[0] != '\0');
        store_setting_read(&setting, value, path);
        REQUIRE(setting.type != NULL);
    }
    configuration_free(c);
    if (!parse(&found, text, size)) REQUIRE(reports > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    char *name = pieces_text(&pieces);
    char *value = pieces_text(&pieces);
    struct piece text = pieces_take(&pieces, pieces.left, 1);
    text.data[text.size] = '\0';
    change((const char *)text.data, name, value);
    read_file((const char *)text.data, text.size);
    free(name);
    free(value);
    free(text.data);
    return 0;
}

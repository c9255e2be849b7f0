/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any texts as the values of the layer's variables: each value follows a byte
 * that says of which. What is read is within its bounds and its texts end; what
 * is complained of is a text; without rights to the user's variables all is
 * off.
 */
#include "layer/settings/settings.h"
#include "pieces.h"
#include "tools/common/state/configuration.h"

enum { most_values = 32 };

struct values {
    size_t count;
    const char *names[most_values];
    char *texts[most_values];
};

/* Beyond those of files. */
static const char *const others[] = {
        "HOME", "XDG_CACHE_HOME", "DNNL_CACHE_ROOT", "DNNL_CACHE_RECORD"};

static const char *get(void *user, const char *name)
{
    const struct values *values = user;
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->names[i], name) == 0) return values->texts[i];
    return NULL;
}

static void note(void *user, const char *text)
{
    (void)user;
    REQUIRE(text[0] != '\0');
    touch(text, strlen(text) + 1);
}

static bool ends(const char *text, size_t capacity)
{
    return memchr(text, '\0', capacity) != NULL;
}

static void check(const struct layer_settings *s)
{
    REQUIRE(s->store != NULL);
    REQUIRE(ends(s->directory, sizeof s->directory)
            && ends(s->seed, sizeof s->seed)
            && ends(s->seed_key, sizeof s->seed_key)
            && ends(s->remote, sizeof s->remote)
            && ends(s->application, sizeof s->application)
            && ends(s->objection, sizeof s->objection)
            && ends(s->trace.path, sizeof s->trace.path)
            && ends(s->statistics.path, sizeof s->statistics.path));
    REQUIRE(s->directory[0] == '\0' || s->directory[0] == '/');
    REQUIRE(s->seed[0] == '\0' || s->seed[0] == '/');
    (void)layer_settings_is_on(s);
}

static const char *name_of(unsigned number)
{
    size_t count = 0;
    while (configuration_setting(count) != NULL)
        count++;
    number %= (unsigned)(count + sizeof others / sizeof *others);
    return number < count ? configuration_setting(number)
                          : others[number - count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct values values = {.count = 0};
    static struct layer_settings settings; /* large */
    while (pieces.left > 0 && values.count < most_values) {
        values.names[values.count] = name_of(pieces_byte(&pieces));
        values.texts[values.count++] = pieces_text(&pieces);
    }
    layer_settings_read(&settings, false, get, note, &values);
    check(&settings);
    layer_settings_read(&settings, true, get, note, &values);
    REQUIRE(!settings.persistent && !layer_settings_is_on(&settings));
    for (size_t i = 0; i < values.count; i++)
        free(values.texts[i]);
    return 0;
}

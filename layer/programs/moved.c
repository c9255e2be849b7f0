/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/moved.h"

#include "src/drivers/option_folders.h"

#include <stdlib.h>
#include <string.h>

typedef char *change_text(
        const struct option_folders *folders, const char *text, size_t *size);

/* Writes the facts with both texts changed. */
static bool encode_changed(const struct option_folders *folders,
        const struct facts *facts, change_text *change, struct bytes *record)
{
    struct facts changed = *facts;
    size_t options_size = strlen(facts->options);
    size_t log_size = (size_t)facts->log_size;
    char *options = change(folders, facts->options, &options_size);
    char *log = change(folders, facts->log, &log_size);
    changed.options = options;
    changed.log = log;
    changed.log_size = log_size;
    const bool done =
            options != NULL && log != NULL && facts_encode(&changed, record);
    free(options);
    free(log);
    return done;
}

bool moved_encode(const struct build *build, const struct facts *facts,
        struct bytes *record)
{
    struct option_folders folders;
    if (!build->moves) return facts_encode(facts, record);
    const bool done =
            option_folders_init(&folders, build_options(build))
            && encode_changed(&folders, facts, option_folders_hide, record)
            && !option_folders_are_in(
                    &folders, (const char *)record->data, record->size);
    option_folders_fini(&folders);
    return done;
}

bool moved_suits(const struct build *build, const struct facts *facts)
{
    struct option_folders folders;
    if (!build->moves) return true;
    /* Without memory moved_read() fails, too, and the entry is not to blame. */
    const bool suits = !option_folders_init(&folders, build_options(build))
                       || (option_folders_suit(&folders, facts->options,
                                   strlen(facts->options))
                               && option_folders_suit(&folders, facts->log,
                                       (size_t)facts->log_size));
    option_folders_fini(&folders);
    return suits;
}

bool moved_read(
        const struct build *build, struct facts *facts, uint8_t **record)
{
    struct option_folders folders;
    struct bytes changed = {NULL, 0, false};
    if (!build->moves) return true;
    bool done =
            option_folders_init(&folders, build_options(build))
            && encode_changed(&folders, facts, option_folders_show, &changed);
    option_folders_fini(&folders);
    facts_free_lists(facts);
    *facts = (struct facts){.has_classes = false};
    if (done) {
        free(*record);
        *record = changed.data;
        done = facts_decode(facts, changed.data, changed.size);
    } else {
        free(changed.data);
    }
    return done;
}

static bool is_in_binary(
        const struct option_folders *folders, const uint8_t *blob, size_t size)
{
    size_t room = 0;
    (void)dnnl_cache_blob_get_program_binary(size, blob, 0, &room, NULL);
    uint8_t *binary = malloc(room > 0 ? room : 1);
    const bool is =
            binary == NULL || room == 0
            || dnnl_cache_blob_get_program_binary(size, blob, 0, &room, binary)
                       != dnnl_success
            || option_folders_are_in(folders, (const char *)binary, room);
    free(binary);
    return is;
}

bool moved_is_named_in(
        const struct build *build, const uint8_t *blob, size_t size)
{
    struct option_folders folders;
    if (!build->moves) return false;
    const bool is = !option_folders_init(&folders, build_options(build))
                    || is_in_binary(&folders, blob, size);
    option_folders_fini(&folders);
    return is;
}

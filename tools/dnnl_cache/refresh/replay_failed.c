/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/replay_failed.h"

#include "src/platform/file.h"
#include "tools/common/state/state_folder.h"
#include "tools/common/state/state_lines.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/state_place.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <stdlib.h>
#include <string.h>

#define NAME "replay_failed"

enum { most_bytes = 1 << 20, lock_ms = 1000 };

void replay_failed_open(struct replay_failed *failed, struct tool *tool)
{
    *failed = (struct replay_failed){.folder = file_none};
    if (!state_place_find(failed->path, tool)) failed->path[0] = '\0';
    if (failed->path[0] != '\0')
        failed->folder = state_place_open(failed->path, false);
    if (failed->folder >= 0)
        failed->text = state_folder_read(failed->folder, NAME, most_bytes);
}

void replay_failed_close(struct replay_failed *failed)
{
    (void)file_close(failed->folder);
    free(failed->text);
    *failed = (struct replay_failed){.folder = file_none};
}

bool replay_failed_has(
        const struct replay_failed *failed, size_t id_size, const uint8_t *id)
{
    const char *at = failed->text;
    char name[catalog_name_size];
    char line[state_line_size];
    entry_name(name, id_size, id);
    while (at != NULL && state_lines_next(line, &at))
        if (strncmp(line, name, catalog_name_size - 1) == 0) return true;
    return false;
}

bool replay_failed_add(struct replay_failed *failed, size_t id_size,
        const uint8_t *id, const char *why, const char *application)
{
    char name[catalog_name_size];
    char text[state_line_size];
    char line[state_line_size];
    if (failed->path[0] == '\0') return false;
    if (failed->folder < 0)
        failed->folder = state_place_open(failed->path, true);
    if (failed->folder < 0) return false;
    entry_name(name, id_size, id);
    snprintf(text, sizeof text - 32, "%s %.80s: %.80s", name, why, application);
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    const size_t size = state_line_make(line, text);
    const int lock = state_folder_lock(failed->folder, lock_ms);
    const bool is_added =
            lock >= 0 && size > 0
            && state_folder_append(failed->folder, NAME, line, size);
    state_folder_unlock(lock);
    return is_added;
}

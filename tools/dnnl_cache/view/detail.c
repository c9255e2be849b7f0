/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/view/detail.h"

#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/view/subject.h"

#include <dnnl_cache/working_set.h>

#include <stdlib.h>
#include <string.h>

/* Blobs that are damaged, gone meanwhile or of a newer format have no parts,
 * and working sets are no blobs. */
static enum tool_exit load_parts(struct detail *detail, struct tool *tool,
        const struct dnnl_cache_store_entry *item)
{
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(tool->store);
    struct dnnl_cache_store_statistics before =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_statistics after = DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_blob_info_t info;
    (void)dnnl_cache_store_get_statistics(tool->store, &before);
    const dnnl_status_t st = store->get(
            store->user, item->id_size, item->id, &detail->size, &detail->blob);
    (void)dnnl_cache_store_get_statistics(tool->store, &after);
    tool->damaged += after.damaged - before.damaged;
    if (st == dnnl_cache_miss) return exit_ok;
    if (st != dnnl_success) return tool_check(tool, "get", st);
    if (subject_check_blob(tool, &info, item->id_size, item->id, detail->size,
                detail->blob)
                    != dnnl_success
            || dnnl_cache_store_working_set_is_list(item->id_size, item->id))
        return exit_ok;
    detail->has_parts = true;
    return parts_load(&detail->parts, tool, detail->size, detail->blob);
}

enum tool_exit detail_load(
        struct detail *detail, struct tool *tool, const struct entry *entry)
{
    const struct dnnl_cache_store_entry *item = &entry->item;
    *detail = (struct detail){.build_options = NULL};
    detail->build_options =
            fields_get_text(item->id_size, item->id, "build_options");
    detail->implementation =
            fields_get_text(item->id_size, item->id, "implementation_name");
    if (detail->build_options == NULL || detail->implementation == NULL)
        return tool_no_memory(tool);
    return load_parts(detail, tool, item);
}

void detail_fini(struct detail *detail, struct tool *tool)
{
    const dnnl_cache_store_t *store =
            dnnl_cache_store_get_callbacks(tool->store);
    free(detail->build_options);
    free(detail->implementation);
    parts_fini(&detail->parts);
    if (detail->blob != NULL)
        store->release(store->user, detail->size, detail->blob);
    *detail = (struct detail){.build_options = NULL};
}

/* The next kernel from number *i on whose name none before it has. */
static const char *next_kernel(const struct parts *parts, size_t *i)
{
    for (; *i < parts->count; ++*i) {
        const dnnl_cache_blob_part_t *part = &parts->items[*i];
        bool is_new = part->kind == dnnl_cache_blob_part_kernel;
        for (size_t j = 0; j < *i && is_new; j++)
            is_new = parts->items[j].kind != dnnl_cache_blob_part_kernel
                     || strcmp(parts->items[j].name, part->name) != 0;
        if (!is_new) continue;
        ++*i;
        return part->name;
    }
    return NULL;
}

char *detail_kernels(const struct detail *detail)
{
    const char *name;
    size_t size = 1;
    for (size_t i = 0; (name = next_kernel(&detail->parts, &i)) != NULL;)
        size += strlen(name) + 2;
    char *text = malloc(size);
    if (text == NULL) return NULL;
    text[0] = '\0';
    for (size_t i = 0; (name = next_kernel(&detail->parts, &i)) != NULL;) {
        if (text[0] != '\0') strcat(text, ", ");
        strcat(text, name);
    }
    return text;
}

void detail_write_json(const struct detail *detail, struct json *json)
{
    const char *options = detail->build_options;
    const char *implementation = detail->implementation;
    const char *name;
    json_text(json, "build_options", options[0] != '\0' ? options : NULL);
    json_text(json, "implementation",
            implementation[0] != '\0' ? implementation : NULL);
    if (!detail->has_parts) {
        json_null(json, "kernels");
        return;
    }
    json_begin_array(json, "kernels");
    for (size_t i = 0; (name = next_kernel(&detail->parts, &i)) != NULL;)
        json_text(json, NULL, name);
    json_end_array(json);
}

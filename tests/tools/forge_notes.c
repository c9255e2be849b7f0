/* SPDX-License-Identifier: Apache-2.0 */
#include "forge_notes.h"

#include "src/blob/id.h"
#include "test.h"
#include "tools/common/state/layer_key.h"

#include <dnnl_cache/journal.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void forge_note(const char *store, const char *source, const char *options,
        const char *options_in_id, const char *variable)
{
    struct id_builder id;
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *handle = NULL;
    const size_t size = strlen(source);
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    id_builder_init(&id, blob_kind_program);
    id_put_string(&id, id_platform_name, "Fake OpenCL");
    id_put_string(&id, id_device_name, "Fake device");
    if (variable != NULL) id_put_string(&id, id_driver_environment, variable);
    id_put_digest(&id, id_source, source, size);
    id_put_string(&id, id_build_options, options_in_id);
    ASSERT_OK(id_builder_status(&id));
    o.path = store;
    ASSERT_OK(dnnl_cache_store_open(&handle, "flat", &o));
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_library;
    note.id = id.bytes.data;
    note.id_size = id.bytes.size;
    note.type = dnnl_cache_note_executable;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    note.options = options;
    EXPECT_OK(dnnl_cache_store_journal_append(handle, &note));
    dnnl_cache_store_close(handle);
    id_builder_fini(&id);
}

void forge_object(const char *store, const char *source, const char *name,
        const char *header)
{
    const dnnl_cache_note_header_t program = {name, strlen(header), header};
    struct id_builder id;
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *handle = NULL;
    const size_t size = strlen(source);
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    id_builder_init(&id, blob_kind_program);
    id_put_string(&id, id_platform_name, "Fake OpenCL");
    id_put_string(&id, id_device_name, "Fake device");
    id_put_digest(&id, id_source, source, size);
    id_put_string(&id, id_build_options, "");
    id_put(&id, id_application_key, LAYER_KEY, sizeof LAYER_KEY - 1);
    ASSERT_OK(id_builder_status(&id));
    o.path = store;
    ASSERT_OK(dnnl_cache_store_open(&handle, "flat", &o));
    note.kind = dnnl_cache_note_build;
    note.origin = dnnl_cache_note_layer;
    note.id = id.bytes.data;
    note.id_size = id.bytes.size;
    note.type = dnnl_cache_note_object;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    note.header_program_count = 1;
    note.header_programs = &program;
    EXPECT_OK(dnnl_cache_store_journal_append(handle, &note));
    dnnl_cache_store_close(handle);
    id_builder_fini(&id);
}

void forge_clear(const char *store)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/journal", store);
    EXPECT_EQ(0, unlink(path));
}

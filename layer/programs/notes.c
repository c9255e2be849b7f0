/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/programs/notes.h"

#include "layer/driver/answer_time.h"
#include "layer/driver/quirks.h"
#include "layer/settings/settings.h"
#include "layer/storage/storage.h"
#include "src/platform/library.h"

#include <stdlib.h>
#include <string.h>

bool notes_are_wanted(const struct build *build)
{
    const cl_device_id device = build->devices[0].device;
    return !layer_settings()->capture_now && build->devices[0].id != NULL
           && (quirk_needs_idle(device)
                   || (!quirk_answers_at_once(device) && answer_time_is_long()))
           && storage_can_keep();
}

static dnnl_cache_note_t new_note(
        dnnl_cache_note_kind_t kind, const struct built_device *d)
{
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.kind = kind;
    note.origin = dnnl_cache_note_layer;
    note.id_size = d->id_size;
    note.id = d->id;
    return note;
}

/* ---- Builds -------------------------------------------------------------- */

/* What a note of a build has beside the build: of the program and the process,
 * the same for all devices. */
struct surroundings {
    const struct program_input *input;
    size_t header_count;               /* of those that are programs */
    dnnl_cache_note_header_t *headers; /* owned; the texts are the build's */
    const char *source;                /* input's; NULL: there is none */
    dnnl_cache_note_constant_t *constants; /* owned; NULL: none, or no memory */
    size_t constant_count;
    const char *working; /* NULL: it is not known */
    char path[path_size];
};

/* False: no memory. */
static bool take_headers(struct surroundings *around, const struct build *build)
{
    const struct include_embedded *list =
            build_headers_list(build->headers, &around->header_count);
    if (around->header_count == 0) return true;
    around->headers = calloc(around->header_count, sizeof *around->headers);
    for (size_t i = 0; around->headers != NULL && i < around->header_count; i++)
        around->headers[i] = (dnnl_cache_note_header_t){
                list[i].name, list[i].size, list[i].text};
    return around->headers != NULL;
}

/* False: without memory for headers nothing is to be noted. */
static bool surroundings_init(struct surroundings *around,
        struct layer_program *program, const struct build *build)
{
    if (!take_headers(around, build)) return false;
    around->input = &program->input;
    around->source = program->input.source;
    around->working = path_working(around->path) ? around->path : NULL;
    pthread_mutex_lock(&program->lock);
    size_t count = program->constant_count;
    if (count > 0) around->constants = calloc(count, sizeof *around->constants);
    if (around->constants == NULL) count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spec_constant *constant = &program->constants[i];
        dnnl_cache_note_constant_t *copy = &around->constants[i];
        copy->id = constant->id;
        copy->size = (uint32_t)constant->size;
        memcpy(copy->value, constant->value, sizeof copy->value);
    }
    pthread_mutex_unlock(&program->lock);
    around->constant_count = count;
    return true;
}

static void surroundings_fini(struct surroundings *around)
{
    free(around->constants);
    free(around->headers);
}

/* Points into all that it is made from. */
static dnnl_cache_note_t note_of_build(const struct build *build,
        const struct built_device *d, const struct surroundings *around)
{
    static const dnnl_cache_note_type_t types[] = {
            [build_executable] = dnnl_cache_note_executable,
            [build_object] = dnnl_cache_note_object,
            [build_linked] = dnnl_cache_note_linked};
    dnnl_cache_note_t note = new_note(dnnl_cache_note_build, d);
    note.type = types[build->kind];
    note.options = build->options;
    note.input_count = d->input_count;
    note.input_id_sizes = d->input_id_sizes;
    note.input_ids = (const uint8_t *const *)d->input_ids;
    note.compile_ns =
            build->is_loaded ? d->facts.compile_ns : build->compile_ns;
    if (build->kind == build_linked) return note;
    note.source_count = around->source != NULL;
    note.sources = &around->source;
    note.source_sizes = &around->input->source_size;
    note.il = around->input->il;
    note.il_size = around->input->il_size;
    note.reads_files = build->reads_files;
    note.file_count = build->file_count;
    note.files = build->files;
    note.directory = around->working;
    note.constant_count = around->constant_count;
    note.constants = around->constants;
    note.header_program_count = around->header_count;
    note.header_programs = around->headers;
    return note;
}

bool notes_give_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs, notes_take take)
{
    struct surroundings around = {.constants = NULL};
    bool is_taken = true;
    for (size_t i = 0; inputs != NULL && i < inputs->count; i++)
        (void)notes_give_build(
                inputs->owners[i], inputs->builds[i], NULL, take);
    /* A link has its inputs instead. */
    if (build->kind != build_linked
            && !surroundings_init(&around, program, build))
        return false;
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        if (build_first_equal(build, i) != i) continue;
        const dnnl_cache_note_t note = note_of_build(build, d, &around);
        is_taken = d->id != NULL && take(&note, build) && is_taken;
    }
    surroundings_fini(&around);
    return is_taken;
}

static bool take(const dnnl_cache_note_t *note, const struct build *build)
{
    (void)build;
    return storage_note(note);
}

void notes_add_build(struct layer_program *program, struct build *build,
        const struct link_inputs *inputs)
{
    for (size_t i = 0; inputs != NULL && i < inputs->count; i++)
        notes_add_build(inputs->owners[i], inputs->builds[i], NULL);
    atomic_store(
            &build->is_noted, notes_give_build(program, build, NULL, take));
}

/* ---- Launches ------------------------------------------------------------ */

void notes_add_launch(const struct built_device *d, const char *kernel,
        uint32_t dimensions, const struct launch_class *class)
{
    if (layer_settings()->capture_now) return;
    dnnl_cache_note_t note = new_note(dnnl_cache_note_launch, d);
    note.kernel = kernel;
    launch_class_put(&note, class, dimensions);
    (void)storage_note(&note);
}

static uint32_t dimensions_of(const struct launch_class *class)
{
    if (class->size[2] > 1) return 3;
    return class->size[1] > 1 ? 2 : 1;
}

void notes_add_facts(const struct built_device *d, const struct facts *facts)
{
    for (uint32_t i = 0; i < facts->kernel_count; i++)
        for (uint32_t k = 0; k < facts->kernels[i].class_count; k++) {
            const struct launch_class *class = &facts->kernels[i].classes[k];
            notes_add_launch(
                    d, facts->kernels[i].name, dimensions_of(class), class);
        }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/form_job.h"

#include "src/blob/codec.h"
#include "src/blob/writer.h"
#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- Encoded ------------------------------------------------------------- */

dnnl_status_t form_make_encoded(
        const struct form_request *request, struct encoded_form *out)
{
    const struct blob_program *record = request->record;
    const enum blob_codec codec = (enum blob_codec)record->codec;
    struct finalised_form form = {.finaliser = ""};
    *out = (struct encoded_form){.finaliser = ""};
    uint8_t *binary = malloc((size_t)record->raw_size);
    if (binary == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = codec_decode(codec, record->binary, record->binary_size,
            binary, (size_t)record->raw_size);
    const struct finaliser_source source = {.context = request->context,
            .device = request->device,
            .options = request->options,
            .binary = binary,
            .size = (size_t)record->raw_size,
            .kernels = request->names,
            .kernel_count = request->kernel_count};
    if (st == dnnl_success)
        st = finalised_form_make(&source, request->kernels, &form);
    if (st == dnnl_success && form.finaliser[0] != '\0')
        st = codec_encode(codec, codec_usual_level, form.binary.data,
                form.binary.size, &out->bytes);
    if (st == dnnl_success && out->bytes.size > 0) {
        out->raw_size = form.binary.size;
        memcpy(out->finaliser, form.finaliser, sizeof out->finaliser);
    }
    finalised_form_fini(&form);
    free(binary);
    return st;
}

/* ---- Life ---------------------------------------------------------------- */

static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size);
    if (copy != NULL) memcpy(copy, bytes, size);
    return copy;
}

/* How many kernels the program of a blob of one program has. */
static uint32_t kernel_count_of(const struct form_job *job)
{
    struct blob_view view;
    return blob_read(&view, job->blob, job->size, NULL) == dnnl_success
                   ? view.kernel_count
                   : 0;
}

struct form_job *form_job_create(const struct form_job *given)
{
    struct form_job *job = malloc(sizeof *job);
    if (job == NULL) return NULL;
    *job = *given;
    job->next = NULL;
    job->blob = copy_of(given->blob, given->size);
    job->options = strdup(given->options);
    job->kernels = given->kernels != NULL ? copy_of(given->kernels,
                           kernel_count_of(given) * sizeof *given->kernels)
                                          : NULL;
    store_retain(job->store);
    (void)clRetainContext(job->context);
    (void)clRetainDevice(job->device);
    if (job->blob != NULL && job->options != NULL
            && (job->kernels != NULL) == (given->kernels != NULL))
        return job;
    form_job_destroy(job);
    return NULL;
}

void form_job_destroy(struct form_job *job)
{
    if (job == NULL) return;
    (void)clReleaseDevice(job->device);
    (void)clReleaseContext(job->context);
    store_release(job->store);
    free(job->kernels);
    free(job->options);
    free(job->blob);
    free(job);
}

/* ---- Done ---------------------------------------------------------------- */

/* What the entry has, as it is written. */
struct entry {
    struct blob_view view;
    struct blob_program record;
    struct blob_kernel *kernels; /* owned */
    struct buffer names;         /* of them, each with a NUL */
};

static void entry_fini(struct entry *entry)
{
    free(entry->kernels);
    buffer_fini(&entry->names);
}

static dnnl_status_t entry_read(struct entry *entry, const struct form_job *job)
{
    *entry = (struct entry){.kernels = NULL};
    dnnl_status_t st = blob_read(&entry->view, job->blob, job->size, NULL);
    if (st == dnnl_success)
        st = blob_view_program(&entry->view, 0, &entry->record);
    if (st != dnnl_success) return st;
    entry->kernels = calloc(
            (size_t)entry->view.kernel_count + 1, sizeof *entry->kernels);
    if (entry->kernels == NULL) return dnnl_out_of_memory;
    for (uint32_t i = 0; i < entry->view.kernel_count; i++) {
        struct blob_kernel *kernel = &entry->kernels[i];
        st = blob_view_kernel(&entry->view, i, kernel);
        if (st != dnnl_success) return st;
        buffer_append(&entry->names, kernel->name, kernel->name_size);
        buffer_append_u8(&entry->names, 0);
    }
    return buffer_status(&entry->names);
}

static dnnl_status_t make(const struct form_job *job, const struct entry *entry,
        struct encoded_form *form)
{
    const struct form_request request = {.context = job->context,
            .device = job->device,
            .options = job->options,
            .kernels = job->kernels,
            .record = &entry->record,
            .names = (const char *)entry->names.data,
            .kernel_count = entry->view.kernel_count};
    return form_make_encoded(&request, form);
}

static void put(const struct form_job *job, const struct entry *entry,
        const struct encoded_form *form, uint64_t compile_ns)
{
    struct blob_program record = entry->record;
    const struct blob_contents contents = {.kind = blob_kind_program,
            .id = entry->view.id,
            .id_size = entry->view.id_size,
            .programs = &record,
            .program_count = 1,
            .kernels = entry->kernels,
            .kernel_count = entry->view.kernel_count,
            .user_data = entry->view.user_data,
            .user_data_size = entry->view.user_data_size,
            .included = entry->view.included,
            .included_size = entry->view.included_size};
    record.finaliser = form->finaliser;
    record.finaliser_size = strlen(form->finaliser);
    record.final_binary = form->bytes.data;
    record.final_size = form->bytes.size;
    record.final_raw_size = form->raw_size;
    record.final_codec = record.codec;
    store_offer(job->store, &contents, compile_ns, job->driver);
}

static bool is_wanted(const struct form_job *job, const struct blob_view *view)
{
    return store_can_put(job->store, job->driver)
           && !store_has_fresher(
                   job->store, view->id, view->id_size, job->made);
}

/* Looked at before, since it may save the work, and after. */
void form_job_do(const struct form_job *job)
{
    const uint64_t start = clock_ns();
    struct encoded_form form = {.finaliser = ""};
    struct entry entry;
    if (entry_read(&entry, job) == dnnl_success && is_wanted(job, &entry.view)
            && make(job, &entry, &form) == dnnl_success && form.bytes.size > 0
            && is_wanted(job, &entry.view))
        put(job, &entry, &form,
                job->compile_ns > 0 ? job->compile_ns : clock_ns() - start);
    buffer_fini(&form.bytes);
    entry_fini(&entry);
}

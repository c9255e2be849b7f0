/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/worker_message.h"

#include "src/common/byte_order.h"

#include <stdlib.h>

enum {
    /* Of the model. */
    item_path = 1,
    item_folder,
    item_store,
    item_remote,
    item_lends, /* blobs instead of a store */
    item_device,
    item_device_name,
    item_identity,
    item_shape, /* number: of dimensions; these, 8 bytes each, and the name */
    /* Of a step. */
    item_step, /* number */
    item_done, /* number: 0 or 1 */
    item_compiled,
    /* Of either; a blob follows its ID. */
    item_id,
    item_blob,
    /* Of the model: the value, 8 bytes, and the name. */
    item_constant
};

static void put_blobs(struct message *m, const struct blob_list *list)
{
    for (size_t i = 0; i < list->ids.count; i++) {
        message_put(m, item_id, 0, list->ids.sizes[i], list->ids.ids[i]);
        message_put(m, item_blob, 0, list->sizes[i], list->blobs[i]);
    }
}

static bool read_blobs(struct blob_list *list, const struct message *m)
{
    struct message_item id;
    struct message_item blob;
    for (size_t at = 0; message_next(&id, m, &at);)
        if (id.kind == item_id
                && (id.size == 0 || !message_next(&blob, m, &at)
                        || blob.kind != item_blob || blob.size == 0
                        || !blob_list_add(
                                list, id.size, id.data, blob.size, blob.data)))
            return false;
    return true;
}

/* ---- Which model --------------------------------------------------------- */

static void put_shape(struct message *m, const struct onnx_shape *shape)
{
    const size_t ndims = (size_t)shape->shape.ndims;
    const size_t name_size = strlen(shape->name) + 1;
    uint8_t *bytes = malloc(8 * ndims + name_size);
    if (bytes == NULL) {
        m->has_failed = true;
        return;
    }
    for (size_t d = 0; d < ndims; d++)
        store_le64(bytes + 8 * d, (uint64_t)shape->shape.dims[d]);
    memcpy(bytes + 8 * ndims, shape->name, name_size);
    message_put(m, item_shape, (uint32_t)ndims, 8 * ndims + name_size, bytes);
    free(bytes);
}

static bool read_shape(
        struct loader_options *options, const struct message_item *item)
{
    const size_t ndims = item->number;
    if (ndims > graph_max_ndims || item->size < 8 * ndims) return false;
    const struct message_item name = {
            .size = item->size - 8 * ndims, .data = item->data + 8 * ndims};
    struct onnx_shape *shapes = realloc((void *)(uintptr_t)options->shapes,
            (size_t)(options->shape_count + 1) * sizeof *shapes);
    if (shapes == NULL) return false;
    options->shapes = shapes;
    struct onnx_shape *shape = &shapes[options->shape_count];
    *shape = (struct onnx_shape){
            .shape.ndims = (int)ndims, .name = message_item_text(&name)};
    for (size_t d = 0; d < ndims; d++)
        shape->shape.dims[d] = (int64_t)load_le64(item->data + 8 * d);
    if (shape->name == NULL) return false;
    options->shape_count++;
    return true;
}

static void put_constant(
        struct message *m, const struct onnx_constant *constant)
{
    const size_t name_size = strlen(constant->name) + 1;
    uint8_t *bytes = malloc(8 + name_size);
    uint64_t value;
    if (bytes == NULL) {
        m->has_failed = true;
        return;
    }
    memcpy(&value, &constant->value, sizeof value);
    store_le64(bytes, value);
    memcpy(bytes + 8, constant->name, name_size);
    message_put(m, item_constant, 0, 8 + name_size, bytes);
    free(bytes);
}

static bool read_constant(
        struct loader_options *options, const struct message_item *item)
{
    if (item->size < 8) return false;
    const struct message_item name = {
            .size = item->size - 8, .data = item->data + 8};
    const uint64_t value = load_le64(item->data);
    struct onnx_constant *constants =
            realloc((void *)(uintptr_t)options->constants,
                    (size_t)(options->constant_count + 1) * sizeof *constants);
    if (constants == NULL) return false;
    options->constants = constants;
    struct onnx_constant *constant = &constants[options->constant_count];
    *constant = (struct onnx_constant){.name = message_item_text(&name)};
    memcpy(&constant->value, &value, sizeof value);
    if (constant->name == NULL) return false;
    options->constant_count++;
    return true;
}

void worker_place_put(struct message *message,
        const struct loader_options *options, const struct worker_place *place)
{
    message_begin(message, message_of_model);
    message_put_text(message, item_path, options->path);
    message_put_text(message, item_folder, options->folder);
    message_put_text(message, item_device, options->session.device.text);
    message_put_text(message, item_device_name, place->device_name);
    message_put_text(message, item_identity, place->identity);
    for (int i = 0; i < options->shape_count; i++)
        put_shape(message, &options->shapes[i]);
    for (int i = 0; i < options->constant_count; i++)
        put_constant(message, &options->constants[i]);
    if (place->has_blobs) {
        message_put(message, item_lends, 0, 0, NULL);
        put_blobs(message, &place->blobs);
    } else {
        message_put_text(message, item_store, options->session.folder);
        message_put_text(message, item_remote, options->session.remote);
    }
}

bool worker_place_read(struct loader_options *options,
        struct worker_place *place, const struct message *message)
{
    struct message_item item;
    *options = (struct loader_options){
            .session = {.threads = 1,
                    .is_worker = true,
                    .folder = message_text(message, item_store),
                    .remote = message_text(message, item_remote),
                    .device.text = message_text(message, item_device)},
            .path = message_text(message, item_path),
            .folder = message_text(message, item_folder)};
    *place = (struct worker_place){
            .device_name = message_text(message, item_device_name),
            .identity = message_text(message, item_identity),
            .has_blobs = message_find(&item, message, item_lends)};
    for (size_t at = 0; message_next(&item, message, &at);)
        if ((item.kind == item_shape && !read_shape(options, &item))
                || (item.kind == item_constant
                        && !read_constant(options, &item)))
            return false;
    return options->path != NULL && options->session.device.text != NULL
           && place->device_name != NULL && place->identity != NULL
           && read_blobs(&place->blobs, message);
}

void worker_place_fini(
        struct loader_options *options, struct worker_place *place)
{
    free((void *)(uintptr_t)options->shapes);
    options->shapes = NULL;
    options->shape_count = 0;
    free((void *)(uintptr_t)options->constants);
    options->constants = NULL;
    options->constant_count = 0;
    blob_list_fini(&place->blobs);
}

/* ---- A step -------------------------------------------------------------- */

void worker_step_put(struct message *message, int step)
{
    message_begin(message, message_of_model_step);
    message_put(message, item_step, (uint32_t)step, 0, NULL);
}

bool worker_step_read(int *step, const struct message *message)
{
    struct message_item item;
    if (!message_find(&item, message, item_step) || item.number > INT32_MAX)
        return false;
    *step = (int)item.number;
    return true;
}

void worker_answer_put(
        struct message *message, const struct worker_answer *answer)
{
    message_begin(message, message_of_model_step);
    message_put(message, item_done, answer->is_done, 0, NULL);
    message_put_u64(message, item_compiled, answer->compiled);
    put_blobs(message, answer->unkept);
}

bool worker_answer_read(struct worker_answer *answer, struct blob_list *unkept,
        const struct message *message)
{
    struct message_item item;
    *answer = (struct worker_answer){.unkept = unkept};
    if (message->subject != message_of_model_step
            || !message_find(&item, message, item_done) || item.number > 1
            || !message_u64(&answer->compiled, message, item_compiled))
        return false;
    answer->is_done = item.number == 1;
    return read_blobs(unkept, message);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache_model.h: ONNX models on an OpenCL device. The first start of a
 * model compiles its programs and keeps them in a store; later starts load
 * them.
 *
 *     dnnl_cache_model_t model;
 *     dnnl_cache_model_create(&model);
 *     dnnl_cache_model_set_folder(model, "/home/me/.cache/models");
 *     dnnl_cache_model_start(model);                   optional: see there
 *     if (dnnl_cache_model_load_file(model, "squeezenet.onnx") != dnnl_success
 *             || dnnl_cache_model_prepare(model) != dnnl_success)
 *         fprintf(stderr, "%s\n", dnnl_cache_model_get_error(model));
 *     dnnl_cache_model_write_input(model, 0, NULL, picture, picture_size);
 *     dnnl_cache_model_run(model);
 *     dnnl_cache_model_read_output(model, 0, scores, scores_size);
 *     dnnl_cache_model_destroy(model);
 *
 * Order: settings, then dnnl_cache_model_load_*(), shapes of inputs that the
 * model leaves open, dnnl_cache_model_prepare(), then inputs, runs and outputs,
 * as often as needed. A call out of order returns dnnl_invalid_arguments.
 *
 * Threads: one thread at a time uses a model; only dnnl_cache_model_cancel()
 * may be called by any thread at any time before the destruction. Different
 * models may be used by different threads at the same time, also with one
 * context, one queue (whose commands then mix, in an order that OpenCL
 * defines), one folder and one store. While a model is started, loaded or
 * prepared, the library uses threads of its own, which have ended when
 * dnnl_cache_model_prepare() returns, or dnnl_cache_model_destroy() if that was
 * not called; callbacks may come from them. If the driver compiles one program
 * at a time in a process, as PoCL does, the programs of a cold start are
 * compiled in processes of a helper program (dnnl_cache_model_set_helper()).
 *
 * Statuses of all calls: dnnl_success; dnnl_invalid_arguments (NULL, a call out
 * of order, an index that does not exist); dnnl_out_of_memory;
 * dnnl_invalid_shape and dnnl_invalid_data_type (data that does not fit an
 * input or output); dnnl_invalid_graph (a file that is not a model, or a model
 * that cannot be computed here); dnnl_cache_miss (something would have to be
 * compiled, and dnnl_cache_model_set_cached_only() forbids that);
 * dnnl_unimplemented (a bound buffer that would need a conversion);
 * dnnl_runtime_error (a file, the device or the driver failed, or the call was
 * cancelled). dnnl_cache_model_get_error() says in words what happened. A call
 * that fails writes no output. A failed load or preparation leaves a model that
 * can only be destroyed; any other failure leaves the model as it was.
 *
 * Strings that are passed in are copied. Since version 0.1.
 */
#ifndef DNNL_CACHE_MODEL_H
#define DNNL_CACHE_MODEL_H

#include "dnnl_cache.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* what a shared library exports */
#endif

typedef struct dnnl_cache_model *dnnl_cache_model_t;

/* ---- Life ---------------------------------------------------------------- */

/* Creates an empty model, which the caller destroys. */
dnnl_status_t dnnl_cache_model_create(dnnl_cache_model_t *model);

/* Waits for the threads and runs of a model, and frees all it has; buffers,
 * queue, context and store of the caller are no longer used. NULL is fine. */
dnnl_status_t dnnl_cache_model_destroy(dnnl_cache_model_t model);

/* What the last call that failed has to say: one line without a full stop, ""
 * if none has failed. Valid until the next call with this model. */
const char *dnnl_cache_model_get_error(dnnl_cache_model_t model);

/* Ends the call that is in progress with this model, or the next one, as soon
 * as possible: dnnl_cache_model_prepare() while it compiles, or a run between
 * two of its steps. That call returns dnnl_runtime_error. Any thread. */
dnnl_status_t dnnl_cache_model_cancel(dnnl_cache_model_t model);

/* ---- Settings, before dnnl_cache_model_start() or _prepare() --------------
 */

/* The device: the first of a platform whose name contains `platform`, and that
 * `device` describes: a number of the list of those devices, or text of the
 * device's name. NULL or "": any. GPUs come first. */
dnnl_status_t dnnl_cache_model_choose_device(
        dnnl_cache_model_t model, const char *platform, const char *device);

/* This device, with this context (NULL: the model creates one). The model
 * retains the context. */
dnnl_status_t dnnl_cache_model_set_device(
        dnnl_cache_model_t model, cl_device_id device, cl_context context);

/* The device and context of an engine. The model creates an engine of its own
 * there, so that neither sees the other's store and compile mode. */
dnnl_status_t dnnl_cache_model_set_engine(
        dnnl_cache_model_t model, dnnl_engine_t engine);

/* Runs on this queue, which must be of the device and context that are set,
 * and in order. The model retains it. NULL: a queue of its own. */
dnnl_status_t dnnl_cache_model_set_queue(
        dnnl_cache_model_t model, cl_command_queue queue);

/* A folder for what is compiled, which is created: a store in `programs`, at
 * most 1 GB, and lists of what each model needs. Other models and processes may
 * use it at the same time. Without a folder and a store, every start compiles.
 */
dnnl_status_t dnnl_cache_model_set_folder(
        dnnl_cache_model_t model, const char *folder);

/* A store on a server behind the folder's, for example
 * "redis://HOST?key_file=FILE" (docs/reference/stores.md). */
dnnl_status_t dnnl_cache_model_set_remote(
        dnnl_cache_model_t model, const char *url);

/* A store of the caller's in place of the folder's. The struct is copied; it is
 * called by several threads, until the model is destroyed. A folder that is
 * set, too, has the lists only. */
dnnl_status_t dnnl_cache_model_set_store(
        dnnl_cache_model_t model, const dnnl_cache_store_t *store);

/* Threads to load and compile with, or helper processes; 0, the default: as
 * many as there are processors. */
dnnl_status_t dnnl_cache_model_set_threads(
        dnnl_cache_model_t model, int threads);

/* Nonzero: fail with dnnl_cache_miss if something has to be compiled. */
dnnl_status_t dnnl_cache_model_set_cached_only(
        dnnl_cache_model_t model, int cached_only);

/* The helper program; "": compile in this process alone. NULL, the default: the
 * program model_compile that is installed with this library. */
dnnl_status_t dnnl_cache_model_set_helper(
        dnnl_cache_model_t model, const char *path);

/* Is told of warnings: a store that cannot be opened or does not keep what is
 * compiled; a file that declares a wrong shape of a tensor that it computes.
 * One call at a time, on any thread; it must not use the model. The library's
 * own messages go to dnnl_cache_set_log_callback(). */
dnnl_status_t dnnl_cache_model_set_log_callback(dnnl_cache_model_t model,
        dnnl_cache_log_callback_t callback, void *user);

/* Is told when a program has been compiled: `done` of `total`, and what it is
 * for; with 0 before the first. One call at a time, on any thread; it must not
 * use the model, except to cancel. */
typedef void (*dnnl_cache_model_progress_t)(
        int done, int total, const char *what, void *user);
dnnl_status_t dnnl_cache_model_set_progress_callback(dnnl_cache_model_t model,
        dnnl_cache_model_progress_t callback, void *user);

/* Replaces the model's weights: by those of another file (tensors of the same
 * names and shapes), or by random ones that keep values varied from layer to
 * layer. */
dnnl_status_t dnnl_cache_model_set_weights_file(
        dnnl_cache_model_t model, const char *path);
dnnl_status_t dnnl_cache_model_set_random_weights(
        dnnl_cache_model_t model, uint64_t seed);

/* An input that has one value in all runs, which is then a constant and no
 * input of the model: each of its elements is `value`. Models that choose a
 * branch by an input (If), such as a sample rate, can be computed so. Needs to
 * be called before dnnl_cache_model_start() and dnnl_cache_model_load_*(),
 * which fails if the model has no such input. dnnl_cache_model_prepare() fails
 * with dnnl_invalid_graph if the input's type has no such number; of integers
 * it may have 53 bits. The last value of an input counts. */
dnnl_status_t dnnl_cache_model_set_constant(
        dnnl_cache_model_t model, const char *input, double value);

/* ---- Loading ------------------------------------------------------------- */

/* Begins to start the driver and to open the store, in another thread, while
 * this one loads. Optional: dnnl_cache_model_prepare() does it otherwise. The
 * shapes of inputs are best set before this call: each combination has a list
 * of its own of what is loaded in advance. */
dnnl_status_t dnnl_cache_model_start(dnnl_cache_model_t model);

/* Reads a model's file but for its large tensors, which
 * dnnl_cache_model_prepare() reads: until then the file may be replaced or
 * removed, but not written to. External data may be in its folder and below. */
dnnl_status_t dnnl_cache_model_load_file(
        dnnl_cache_model_t model, const char *path);

/* Takes a model's bytes, which must stay as they are until
 * dnnl_cache_model_prepare() returns, or the model is destroyed. External data
 * may be in `folder` and below; NULL: the model must not have any. */
dnnl_status_t dnnl_cache_model_load_memory(dnnl_cache_model_t model,
        const void *bytes, size_t size, const char *folder);

/* Types of elements, with the numbers of ONNX's TensorProto.DataType; others
 * may occur in what a model declares. */
typedef enum {
    dnnl_cache_model_type_undefined = 0,
    dnnl_cache_model_type_f32 = 1,
    dnnl_cache_model_type_u8 = 2,
    dnnl_cache_model_type_s8 = 3,
    dnnl_cache_model_type_u16 = 4,
    dnnl_cache_model_type_s16 = 5,
    dnnl_cache_model_type_s32 = 6,
    dnnl_cache_model_type_s64 = 7,
    dnnl_cache_model_type_boolean = 9, /* a byte, 0 or 1 */
    dnnl_cache_model_type_f16 = 10,
    dnnl_cache_model_type_f64 = 11,
    dnnl_cache_model_type_u32 = 12
} dnnl_cache_model_type_t;

/* "FLOAT", as ONNX calls it; static. */
const char *dnnl_cache_model_type_name(dnnl_cache_model_type_t type);
/* Bytes of an element, 0 for types that models cannot be computed with. */
size_t dnnl_cache_model_type_size(dnnl_cache_model_type_t type);

/* A tensor: an input, an output, or what a caller has for one. */
typedef struct {
    size_t struct_size; /* sizeof(dnnl_cache_model_tensor_t) */
    const char *name;
    dnnl_cache_model_type_t type;
    int ndims;                  /* -1: the file does not say */
    const int64_t *dims;        /* -1: left open */
    const char *const *symbols; /* of open dimensions; "" for others. NULL of a
                                 * caller's tensor */
    size_t size; /* bytes of its elements, in row-major order; 0 while there are
                  * open dimensions */
} dnnl_cache_model_tensor_t;

#define DNNL_CACHE_MODEL_TENSOR_INIT                               \
    {                                                              \
        sizeof(dnnl_cache_model_tensor_t), NULL,                   \
                dnnl_cache_model_type_undefined, -1, NULL, NULL, 0 \
    }

typedef struct {
    size_t struct_size; /* sizeof(dnnl_cache_model_info_t) */
    int64_t opset;      /* of the standard operators */
    int64_t ir_version;
    const char *producer; /* "" if the file does not say */
    uint64_t nodes;
    uint64_t parameter_tensors; /* initializers, and Constant nodes of floats */
    uint64_t parameters;        /* their elements */
    uint64_t parameter_bytes;
    int inputs; /* without those that have an initializer */
    int outputs;
} dnnl_cache_model_info_t;

#define DNNL_CACHE_MODEL_INFO_INIT                                    \
    {                                                                 \
        sizeof(dnnl_cache_model_info_t), 0, 0, NULL, 0, 0, 0, 0, 0, 0 \
    }

/* After a load. Nothing is computed, and no driver is asked. Pointers belong to
 * the model. The caller sets struct_size. */
dnnl_status_t dnnl_cache_model_get_info(
        dnnl_cache_model_t model, dnnl_cache_model_info_t *info);

/* Input or output number `index`: as the file declares it, and after
 * dnnl_cache_model_prepare() as it is. Pointers are valid until the next call
 * of dnnl_cache_model_prepare(). */
dnnl_status_t dnnl_cache_model_get_input(
        dnnl_cache_model_t model, int index, dnnl_cache_model_tensor_t *input);
dnnl_status_t dnnl_cache_model_get_output(
        dnnl_cache_model_t model, int index, dnnl_cache_model_tensor_t *output);

/* The index of a name. */
dnnl_status_t dnnl_cache_model_find_input(
        dnnl_cache_model_t model, const char *name, int *index);
dnnl_status_t dnnl_cache_model_find_output(
        dnnl_cache_model_t model, const char *name, int *index);

/* The shape of an input, at any time before dnnl_cache_model_prepare(): that of
 * the file, with numbers for open dimensions. A symbol that several inputs have
 * needs to be given once; it may also be given by itself, by its name in place
 * of an input's and one dimension ("batch", 1), unless an input has that name.
 * Open dimensions are never guessed: without a shape,
 * dnnl_cache_model_prepare() fails. Whether the shape fits is found out there,
 * too. */
dnnl_status_t dnnl_cache_model_set_shape(dnnl_cache_model_t model,
        const char *input, int ndims, const int64_t *dims);

/* Makes the model ready to run: imports it, and loads or compiles its programs.
 * Once. */
dnnl_status_t dnnl_cache_model_prepare(dnnl_cache_model_t model);

/* In place of it: compiles what is missing in the store and takes no memory for
 * tensors. The model can then only be asked for its report, and destroyed. */
dnnl_status_t dnnl_cache_model_fill_store(dnnl_cache_model_t model);

/* The device and context that a prepared model uses: borrowed. Either may be
 * NULL. */
dnnl_status_t dnnl_cache_model_get_device(
        dnnl_cache_model_t model, cl_device_id *device, cl_context *context);

/* ---- Inputs, runs, outputs ------------------------------------------------
 */

/* Copies `size` bytes of elements to an input, where they stay until the next
 * write. `is` says what they are, and may be NULL: another type or shape than
 * the input's is an error with both in its text. Inputs that were never written
 * are zeros. */
dnnl_status_t dnnl_cache_model_write_input(dnnl_cache_model_t model, int index,
        const dnnl_cache_model_tensor_t *is, const void *data, size_t size);

/* The same at the begin of each run, from the caller's memory, or from a buffer
 * of the model's context, `offset` bytes further on. They must stay until the
 * run has ended. Buffers are copied on the device; they are for types f32, f64
 * and s64. NULL unbinds. */
dnnl_status_t dnnl_cache_model_bind_input(dnnl_cache_model_t model, int index,
        const dnnl_cache_model_tensor_t *is, const void *data, size_t size);
dnnl_status_t dnnl_cache_model_bind_input_buffer(
        dnnl_cache_model_t model, int index, cl_mem buffer, size_t offset);

/* Where each run writes an output: `size` bytes of the caller's memory, when
 * dnnl_cache_model_run() or dnnl_cache_model_wait() returns; or a buffer, when
 * the run's event is complete. Buffers as above. NULL unbinds. */
dnnl_status_t dnnl_cache_model_bind_output(
        dnnl_cache_model_t model, int index, void *data, size_t size);
dnnl_status_t dnnl_cache_model_bind_output_buffer(
        dnnl_cache_model_t model, int index, cl_mem buffer, size_t offset);

/* Runs the model and waits for the end. */
dnnl_status_t dnnl_cache_model_run(dnnl_cache_model_t model);

/* Submits a run that begins when the events of the list are complete, and does
 * not wait. *event, which may be NULL, is complete when the run has ended; the
 * caller releases it. One run at a time: before the next call with this model
 * other than dnnl_cache_model_cancel(), call dnnl_cache_model_wait(). */
dnnl_status_t dnnl_cache_model_run_async(dnnl_cache_model_t model,
        cl_uint wait_count, const cl_event *wait_list, cl_event *event);

/* Waits for the run, and writes the outputs that are bound to the caller's
 * memory. Without a run: nothing happens. */
dnnl_status_t dnnl_cache_model_wait(dnnl_cache_model_t model);

/* Copies an output of the last run: exactly its size. */
dnnl_status_t dnnl_cache_model_read_output(
        dnnl_cache_model_t model, int index, void *data, size_t size);

/* ---- What was measured --------------------------------------------------- */

/* Of a prepared model. Times in ms are counted from the model's creation. */
typedef struct {
    size_t struct_size;         /* sizeof(dnnl_cache_model_report_t) */
    int is_warm;                /* nothing was compiled */
    double ready;               /* when the preparation ended */
    uint64_t programs_compiled; /* helper processes' and the engine's own too */
    uint64_t programs_loaded;   /* from the store */
    uint64_t primitives;
    uint64_t programs_of_store; /* of the working set, found at the start */
    int is_kept;                /* the store keeps all that was compiled */
    uint64_t weight_bytes;      /* on the device */
    uint64_t activation_bytes;
    uint64_t input_bytes;
    const char *platform; /* names; the model's */
    const char *device;
    const char *driver;
    int phases;
} dnnl_cache_model_report_t;

#define DNNL_CACHE_MODEL_REPORT_INIT                                       \
    {                                                                      \
        sizeof(dnnl_cache_model_report_t), 0, 0.0, 0, 0, 0, 0, 0, 0, 0, 0, \
                NULL, NULL, NULL, 0                                        \
    }

dnnl_status_t dnnl_cache_model_get_report(
        dnnl_cache_model_t model, dnnl_cache_model_report_t *report);

/* A part of the start; parts run beside each other (docs/start/model.md). */
typedef struct {
    size_t struct_size; /* sizeof(dnnl_cache_model_phase_t) */
    const char *name;   /* static */
    double begin, end;  /* 0: it did not happen */
    double ms;          /* of its own, less than from begin to end if it was a
                         * part of the work there */
} dnnl_cache_model_phase_t;

#define DNNL_CACHE_MODEL_PHASE_INIT                           \
    {                                                         \
        sizeof(dnnl_cache_model_phase_t), NULL, 0.0, 0.0, 0.0 \
    }

dnnl_status_t dnnl_cache_model_get_phase(
        dnnl_cache_model_t model, int index, dnnl_cache_model_phase_t *phase);

/* A step of a run. */
typedef struct {
    size_t struct_size; /* sizeof(dnnl_cache_model_layer_t) */
    int index;
    const char *node; /* of the file: "Conv 'stem'" */
    const char *kind; /* "convolution+relu" */
    double ms;        /* on the device, by events; 0 with data */
    /* What it wrote, NULL unless data was asked for, and if the result has no
     * name in the model. Valid during the call. */
    const dnnl_cache_model_tensor_t *tensor;
    const void *data;
} dnnl_cache_model_layer_t;

typedef enum {
    dnnl_cache_model_layers_time = 0,
    dnnl_cache_model_layers_data = 1
} dnnl_cache_model_layers_t;

/* Nonzero ends the run. */
typedef int (*dnnl_cache_model_layer_callback_t)(
        const dnnl_cache_model_layer_t *layer, void *user);

/* Runs the model once, on a queue with profiling, and tells of each step: how
 * long the device took for it, or what it wrote. The callback must not use the
 * model. */
dnnl_status_t dnnl_cache_model_run_layers(dnnl_cache_model_t model,
        dnnl_cache_model_layers_t what,
        dnnl_cache_model_layer_callback_t callback, void *user);

/* ---- Devices ------------------------------------------------------------- */

/* Tells of all OpenCL devices, in the order in which
 * dnnl_cache_model_choose_device() counts them. Needs no model. Any thread. */
typedef void (*dnnl_cache_model_device_callback_t)(int number,
        const char *platform, const char *device, const char *driver,
        cl_device_id id, void *user);
dnnl_status_t dnnl_cache_model_list_devices(
        dnnl_cache_model_device_callback_t callback, void *user);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_MODEL_H */

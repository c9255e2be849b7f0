/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what is behind the handle of dnnl_cache_model.h. */
#ifndef DNNL_CACHE_MODEL_API_MODEL_H
#define DNNL_CACHE_MODEL_API_MODEL_H

#include "dnnl_cache/dnnl_cache_model.h"
#include "model/api/loader.h"

enum model_state {
    model_new,
    model_loaded,
    model_ready,  /* to run */
    model_filled, /* the store, and nothing else */
    model_failed
};

/* An input or an output. */
struct model_port {
    int64_t *dims; /* owned */
    const char **symbols;
    dnnl_cache_model_tensor_t is;
    /* Where its elements come from or go to at each run; both NULL: nowhere. */
    void *data; /* the caller's; only read if it is an input's */
    size_t size;
    cl_mem buffer; /* retained */
    size_t offset;
    void *staging; /* an input's elements as the device has them; owned */
};

struct dnnl_cache_model {
    enum model_state state;
    cl_event running; /* the end of a run that was submitted; NULL: none */
    atomic_bool cancelled;
    struct failure failure; /* of the last call that failed */
    struct loader_options options;
    struct loader loader;
    struct onnx_info info;
    struct model_port *inputs, *outputs;
    dnnl_cache_store_t store;
    dnnl_cache_model_progress_t progress;
    void *progress_user;
    char helper[4096]; /* "": none */
    bool helper_is_set;
    /* Copies of what was passed in. */
    char *platform, *device, *folder, *remote, *path, *data_folder, *weights;
    struct onnx_shape *shapes;
    struct onnx_constant *constants;
};

/* The status of a failure: its own, or that of what was tried. */
dnnl_status_t model_fail(struct dnnl_cache_model *model, dnnl_status_t tried);
/* A call that cannot be. */
dnnl_status_t model_refuse(
        struct dnnl_cache_model *model, dnnl_status_t status, const char *text);
/* The same with dnnl_invalid_arguments. */
dnnl_status_t model_refuse_arguments(
        struct dnnl_cache_model *model, const char *text);

/* False, and a failure of that name, if error is not CL_SUCCESS. */
bool model_check_cl(
        struct dnnl_cache_model *model, const char *what, cl_int error);

/* Begins a call: forgets the failure of the one before. */
void model_begin(struct dnnl_cache_model *model);
/* The same of a call that writes an answer there. */
dnnl_status_t model_begin_answer(
        struct dnnl_cache_model *model, const void *answer);
/* The same of a call that needs a model that is ready and does not run. */
dnnl_status_t model_begin_use(struct dnnl_cache_model *model);

/* Keeps a copy of a text, and points an option to it; "" and NULL are none. */
dnnl_status_t model_set_text(struct dnnl_cache_model *model, char **text,
        const char **option, const char *value);

/* Fills in what the file declares of inputs and outputs; false if memory runs
 * out. */
bool model_declare_ports(struct dnnl_cache_model *model);
/* Takes inputs that are constants off those of the model's description. */
bool model_fix_inputs(struct dnnl_cache_model *model);
void model_free_constants(struct dnnl_cache_model *model);
void model_free_ports(struct model_port *ports, int count);

/* Fills in what is known when the model is ready; false if memory runs out. */
bool model_complete_ports(struct dnnl_cache_model *model);

/* The program that is installed beside this library, "" if there is none. */
void model_find_helper(size_t size, char *path);

#endif /* DNNL_CACHE_MODEL_API_MODEL_H */

/* SPDX-License-Identifier: Apache-2.0 */
/* Uses the installed library of the model loader: model_consumer FILE.onnx says
 * what the model declares, and runs it where there is a device. */
#include <dnnl_cache/dnnl_cache_model.h>

#include <stdio.h>

static int fail(dnnl_cache_model_t model, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, dnnl_cache_model_get_error(model));
    return 1;
}

int main(int argc, char **argv)
{
    dnnl_cache_model_t model = NULL;
    dnnl_cache_model_info_t info = DNNL_CACHE_MODEL_INFO_INIT;
    dnnl_cache_model_tensor_t output = DNNL_CACHE_MODEL_TENSOR_INIT;
    dnnl_cache_model_report_t report = DNNL_CACHE_MODEL_REPORT_INIT;
    if (argc < 3 || dnnl_cache_model_create(&model) != dnnl_success) return 1;
    dnnl_cache_model_set_folder(model, argv[2]);
    dnnl_cache_model_set_threads(model, 2);
    if (dnnl_cache_model_load_file(model, argv[1]) != dnnl_success)
        return fail(model, "load");
    if (dnnl_cache_model_get_info(model, &info) != dnnl_success
            || dnnl_cache_model_get_output(model, 0, &output) != dnnl_success)
        return fail(model, "info");
    printf("%d inputs, output %s\n", info.inputs, output.name);
    if (dnnl_cache_model_prepare(model) != dnnl_success
            || dnnl_cache_model_run(model) != dnnl_success)
        return fail(model, "run");
    if (dnnl_cache_model_get_report(model, &report) != dnnl_success)
        return fail(model, "report");
    printf("%s on %s\n", report.is_warm ? "warm" : "cold", report.device);
    return dnnl_cache_model_destroy(model) != dnnl_success;
}

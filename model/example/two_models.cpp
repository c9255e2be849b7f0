// SPDX-License-Identifier: Apache-2.0
// two_models FIRST.onnx SECOND.onnx FOLDER [PLATFORM]: a framework with an
// OpenCL context and queues of its own, which runs two ONNX models from two
// threads. What both compile is kept in one store.
#include <dnnl_cache/dnnl_cache_model.h>
#include <dnnl_cache/store.h>

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

// The framework's OpenCL.
struct device {
    const char *platform;
    cl_device_id id = nullptr;
    cl_context context = nullptr;
    explicit device(const char *text) : platform(text)
    {
        cl_int error = CL_DEVICE_NOT_FOUND;
        dnnl_cache_model_list_devices(choose, this);
        if (id != nullptr)
            context = clCreateContext(NULL, 1, &id, nullptr, nullptr, &error);
        if (error != CL_SUCCESS) throw std::runtime_error("no such device");
    }
    ~device() { clReleaseContext(context); }
    static void choose(int, const char *name, const char *, const char *,
            cl_device_id id, void *user)
    {
        auto *self = static_cast<device *>(user);
        if (self->id == nullptr && std::strstr(name, self->platform) != nullptr)
            self->id = id;
    }
};

// A model in the framework: each is used by one thread.
class model
{
  public:
    model(const device &device, const dnnl_cache_store_t *store,
            const char *path)
        : model()
    {
        cl_int error = CL_SUCCESS;
        queue_ = clCreateCommandQueue(device.context, device.id, 0, &error);
        check(dnnl_cache_model_set_device(handle_, device.id, device.context));
        check(dnnl_cache_model_set_queue(handle_, queue_));
        check(dnnl_cache_model_set_store(handle_, store));
        check(dnnl_cache_model_start(handle_));
        check(dnnl_cache_model_load_file(handle_, path));
        check(dnnl_cache_model_prepare(handle_));
        check(dnnl_cache_model_get_output(handle_, 0, &output_));
        buffer_ = clCreateBuffer(device.context, CL_MEM_READ_WRITE,
                output_.size, nullptr, &error);
        if (error != CL_SUCCESS) throw std::runtime_error("no buffer");
        check(dnnl_cache_model_bind_output_buffer(handle_, 0, buffer_, 0));
    }
    model(const model &) = delete;
    ~model()
    {
        dnnl_cache_model_destroy(handle_);
        if (buffer_ != nullptr) clReleaseMemObject(buffer_);
        if (queue_ != nullptr) clReleaseCommandQueue(queue_);
    }

    // Submits a run, and a command of the framework's that follows it.
    std::vector<float> run()
    {
        cl_event done = nullptr;
        dnnl_cache_model_tensor_t in = DNNL_CACHE_MODEL_TENSOR_INIT;
        check(dnnl_cache_model_get_input(handle_, 0, &in));
        const std::vector<float> input(in.size / sizeof(float), 0.5f);
        std::vector<float> result(output_.size / sizeof(float));
        check(dnnl_cache_model_write_input(
                handle_, 0, nullptr, input.data(), in.size));
        check(dnnl_cache_model_run_async(handle_, 0, nullptr, &done));
        const cl_int error = clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0,
                output_.size, result.data(), 1, &done, nullptr);
        clReleaseEvent(done);
        check(dnnl_cache_model_wait(handle_));
        if (error != CL_SUCCESS) throw std::runtime_error("no result");
        return result;
    }
    bool is_warm()
    {
        dnnl_cache_model_report_t report = DNNL_CACHE_MODEL_REPORT_INIT;
        check(dnnl_cache_model_get_report(handle_, &report));
        return report.is_warm != 0;
    }

  private:
    model() { check(dnnl_cache_model_create(&handle_)); }
    void check(dnnl_status_t status)
    {
        if (status != dnnl_success)
            throw std::runtime_error(dnnl_cache_model_get_error(handle_));
    }
    cl_command_queue queue_ = nullptr;
    cl_mem buffer_ = nullptr;
    dnnl_cache_model_tensor_t output_ = DNNL_CACHE_MODEL_TENSOR_INIT;
    dnnl_cache_model_t handle_ = nullptr;
};

// Loads and runs a model, and says what came of it.
bool serve(const device &device, const dnnl_cache_store_t *store,
        const char *path, std::string &said)
try {
    model model(device, store, path);
    const std::vector<float> result = model.run();
    said = std::string(path) + (model.is_warm() ? ": warm, " : ": cold, ")
           + std::to_string(result.size()) + " results, the first is "
           + std::to_string(result[0]);
    return true;
} catch (const std::exception &error) {
    said = error.what();
    return false;
}

} // namespace

int main(int argc, char **argv)
try {
    if (argc < 4) throw std::runtime_error("FIRST.onnx SECOND.onnx FOLDER");
    dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = argv[3];
    dnnl_cache_store_handle_t *handle = nullptr;
    if (dnnl_cache_store_open(&handle, "flat", &options) != dnnl_success)
        throw std::runtime_error("no store");
    const dnnl_cache_store_t *store = dnnl_cache_store_get_callbacks(handle);
    std::string said[2];
    bool ok[2];
    {
        const device device(argc > 4 ? argv[4] : "");
        std::thread second(
                [&] { ok[1] = serve(device, store, argv[2], said[1]); });
        ok[0] = serve(device, store, argv[1], said[0]);
        second.join();
    }
    dnnl_cache_store_close(handle);
    std::printf("%s\n%s\n", said[0].c_str(), said[1].c_str());
    return ok[0] && ok[1] ? 0 : 1;
} catch (const std::exception &error) {
    std::fprintf(stderr, "two_models: %s\n", error.what());
    return 1;
}

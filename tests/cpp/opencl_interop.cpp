// SPDX-License-Identifier: Apache-2.0
// A kernel of the application's own and a primitive, one after the other on one
// queue and in one buffer: the kernel counts down, the primitive is a relu.
#include "program.hpp"

#include "oneapi/dnnl/dnnl_ocl.hpp"

#include <stdexcept>

namespace
{

const size_t count = 100;

const char *const source = "__kernel void count_down(__global float *out)\n"
                           "{\n"
                           "    int i = get_global_id(0);\n"
                           "    out[i] = 10 - i;\n"
                           "}\n";

void check(cl_int error, const char *call)
{
    if (error != CL_SUCCESS) throw std::runtime_error(call);
}

// Enqueues the kernel. What OpenCL has queued stays alive without us.
void count_down(cl_context context, cl_device_id device, cl_command_queue queue,
        cl_mem buffer)
{
    cl_int error = CL_SUCCESS;
    const char *text = source;
    cl_program program =
            clCreateProgramWithSource(context, 1, &text, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr),
            "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "count_down", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &count, nullptr, 0,
                  nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

bool opencl_interop()
{
    const dnnl::engine engine = program_engine();
    cl_context context = dnnl::ocl_interop::get_context(engine);
    cl_device_id device = dnnl::ocl_interop::get_device(engine);

    // The library's buffer and queue, in OpenCL's hands.
    dnnl::stream stream(engine);
    const dnnl::memory::desc md({static_cast<dnnl::memory::dim>(count)},
            dnnl::memory::data_type::f32, dnnl::memory::format_tag::x);
    const dnnl::memory theirs(md, engine);
    const dnnl::eltwise_forward relu(dnnl::eltwise_forward::primitive_desc(
            engine, dnnl::prop_kind::forward, dnnl::algorithm::eltwise_relu, md,
            md, 0.0f));
    count_down(context, device, dnnl::ocl_interop::get_command_queue(stream),
            dnnl::ocl_interop::get_mem_object(theirs));
    relu.execute(stream, {{DNNL_ARG_SRC, theirs}, {DNNL_ARG_DST, theirs}});
    stream.wait();

    // OpenCL's buffer and queue, in the library's hands.
    // OpenCL 2.0's call never returns from Oclgrind, a driver of 1.2.
    cl_int error = CL_SUCCESS;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_mem buffer = clCreateBuffer(
            context, CL_MEM_READ_WRITE, count * sizeof(float), nullptr, &error);
    check(error, "clCreateBuffer");
    {
        dnnl::stream ours = dnnl::ocl_interop::make_stream(engine, queue);
        const dnnl::memory memory =
                dnnl::ocl_interop::make_memory(md, engine, buffer);
        count_down(context, device, queue, buffer);
        dnnl::ocl_interop::execute(
                relu, ours, {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}});
    }
    std::vector<float> read(count);
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(float),
                  read.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");

    std::vector<float> expected(count);
    for (size_t i = 0; i < 10; i++)
        expected[i] = static_cast<float>(10 - i);
    return program_same("the library's buffer", count, expected.data(),
                   read_memory(theirs).data())
           && program_same("the application's buffer", count, expected.data(),
                   read.data());
}

} // namespace

int main()
{
    return run_program(opencl_interop);
}

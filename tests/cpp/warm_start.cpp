// SPDX-License-Identifier: Apache-2.0
// Everything from blobs: what a first engine compiled, a second one in a
// context of its own computes with, while nothing may be compiled.
#include "program.hpp"

#include "oneapi/dnnl/dnnl_ocl.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace
{

typedef std::vector<uint8_t> bytes;
typedef dnnl::memory::dims dims;

// The application's store: blobs by ID.
std::map<bytes, bytes> store;
bool is_warm = false;

// A primitive from the store; cold, one that goes into it.
template <typename Primitive>
Primitive make(const typename Primitive::primitive_desc &pd)
{
    const bytes id = pd.get_cache_blob_id();
    if (is_warm) {
        const Primitive warm(pd, store.at(id));
        if (warm.get_cache_blob() != store.at(id))
            throw std::runtime_error("the blob has changed");
        return warm;
    }
    const Primitive cold(pd);
    store[id] = cold.get_cache_blob();
    return cold;
}

dnnl::memory::desc f32(const dims &shape, dnnl::memory::format_tag tag)
{
    return dnnl::memory::desc(shape, dnnl::memory::data_type::f32, tag);
}

dnnl::memory filled(const dnnl::memory::desc &md, const dnnl::engine &engine)
{
    const dnnl::memory memory(md, engine);
    write_memory(memory, some_numbers(md.get_size() / sizeof(float)));
    return memory;
}

const size_t channels = 3, side = 6, inner = side - 2;

// A convolution of 3x3 with a bias, and a relu of that.
std::vector<float> compute(const dnnl::engine &engine)
{
    typedef dnnl::memory::format_tag tag;
    const dnnl::memory src = filled(f32({1, 1, side, side}, tag::nchw), engine);
    const dnnl::memory weights =
            filled(f32({channels, 1, 3, 3}, tag::oihw), engine);
    const dnnl::memory bias = filled(f32({channels}, tag::x), engine);
    const dnnl::convolution_forward::primitive_desc conv_pd(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, src.get_desc(),
            weights.get_desc(), bias.get_desc(),
            f32({1, channels, inner, inner}, tag::any), dims({1, 1}),
            dims({0, 0}), dims({0, 0}));
    const dnnl::memory dst(conv_pd.dst_desc(), engine);
    const dnnl::eltwise_forward::primitive_desc relu_pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
            dst.get_desc(), dst.get_desc(), 0.0f);
    const auto conv = make<dnnl::convolution_forward>(conv_pd);
    const auto relu = make<dnnl::eltwise_forward>(relu_pd);

    dnnl::stream stream(engine);
    conv.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                                 {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    relu.execute(stream, {{DNNL_ARG_SRC, dst}, {DNNL_ARG_DST, dst}});
    stream.wait();
    return read_memory(dst);
}

std::vector<float> expected()
{
    const std::vector<float> src = some_numbers(side * side);
    const std::vector<float> weights = some_numbers(channels * 3 * 3);
    const std::vector<float> bias = some_numbers(channels);
    std::vector<float> dst;
    for (size_t c = 0; c < channels; c++)
        for (size_t y = 0; y < inner; y++)
            for (size_t x = 0; x < inner; x++) {
                float sum = bias[c];
                for (size_t k = 0; k < 9; k++)
                    sum += weights[c * 9 + k]
                           * src[(y + k / 3) * side + x + k % 3];
                dst.push_back(std::max(sum, 0.0f));
            }
    return dst;
}

// What needs a compiler must fail.
bool compiles(const dnnl::engine &engine)
{
    const auto md = f32({4}, dnnl::memory::format_tag::x);
    const dnnl::eltwise_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_exp,
            md, md);
    try {
        dnnl::eltwise_forward exp(pd);
    } catch (const dnnl::error &e) {
        if (e.status == dnnl_cache_miss) return false;
        throw;
    }
    return true;
}

dnnl::engine warm_engine(
        cl_device_id device, const bytes &id, const bytes &blob)
{
    cl_int error = CL_SUCCESS;
    if (dnnl::ocl_interop::get_engine_cache_blob_id(device) != id)
        throw std::runtime_error("the engine's ID has changed");
    cl_context context =
            clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    if (error != CL_SUCCESS) throw std::runtime_error("clCreateContext");
    const dnnl::engine engine =
            dnnl::ocl_interop::make_engine(device, context, blob);
    (void)clReleaseContext(context); // the engine keeps it
    return engine;
}

bool warm_start()
{
    const std::vector<float> wanted = expected();
    cl_device_id device;
    bytes engine_id, engine_blob;
    std::vector<float> cold;

    dnnl::set_primitive_cache_capacity(0);
    {
        const dnnl::engine engine = program_engine();
        device = dnnl::ocl_interop::get_device(engine);
        engine_id = dnnl::ocl_interop::get_engine_cache_blob_id(device);
        engine_blob = dnnl::ocl_interop::get_engine_cache_blob(engine);
        cold = compute(engine);
    }
    // The engine is gone, and what it had in memory with it.
    is_warm = true;
    if (dnnl_cache_set_compile_mode(dnnl_cache_compile_mode_cached_only)
            != dnnl_success)
        return false;
    const dnnl::engine engine = warm_engine(device, engine_id, engine_blob);
    const std::vector<float> warm = compute(engine);
    if (compiles(engine)) {
        std::fprintf(stderr, "something was compiled\n");
        return false;
    }
    return program_same("cold", wanted.size(), wanted.data(), cold.data())
           && program_same("warm", wanted.size(), wanted.data(), warm.data());
}

} // namespace

int main()
{
    return run_program(warm_start);
}

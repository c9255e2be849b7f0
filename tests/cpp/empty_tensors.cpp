// SPDX-License-Identifier: Apache-2.0
// Tensors without elements: their primitives have blobs, and what is made of
// an empty image comes from the padding and the bias. Compiled, then from the
// blob, against sums in double precision.
#include "program.hpp"

#include <limits>

namespace
{

using dnnl::memory;
using tag = memory::format_tag;
using dt = memory::data_type;

// A run's arguments besides dst, which is of this size.
struct problem {
    const char *name;
    std::vector<std::pair<int, memory>> inputs;
    std::vector<float> expected;
};

bool run(const dnnl::primitive &made, const memory::desc &dst_md,
        const dnnl::engine &engine, const problem &p)
{
    dnnl::stream stream(engine);
    memory dst = make_memory(dst_md, engine,
            std::vector<float>(dst_md.get_size() / sizeof(float), 7.0f));
    std::unordered_map<int, memory> args{{DNNL_ARG_DST, dst}};
    for (const auto &input : p.inputs)
        args.insert(input);
    made.execute(stream, args);
    stream.wait();
    return same(p.name, p.expected, read_memory(dst), 1e-5f);
}

// From the compiler, then from the blob.
template <typename Primitive>
bool run_twice(const typename Primitive::primitive_desc &pd,
        const dnnl::engine &engine, const problem &p)
{
    const std::vector<uint8_t> id = pd.get_cache_blob_id();
    const Primitive cold(pd);
    const std::vector<uint8_t> blob = cold.get_cache_blob();
    if (id.empty() || blob.empty()) {
        std::fprintf(stderr, "%s: not cacheable\n", p.name);
        return false;
    }
    const Primitive warm(pd, blob);
    return run(cold, pd.dst_desc(), engine, p)
           && run(warm, pd.dst_desc(), engine, p)
           && warm.get_cache_blob() == blob;
}

memory empty(const memory::desc &md, const dnnl::engine &engine)
{
    return memory(md, engine);
}

std::vector<float> repeated(const std::vector<float> &values, size_t times)
{
    std::vector<float> all;
    for (float value : values)
        all.insert(all.end(), times, value);
    return all;
}

// [1, 2, 0, 3] in, 3x3 windows over a padding of 2 and 1: [1, 2, 2, 3] out.
bool convolve(const dnnl::engine &engine)
{
    const memory::desc src({1, 2, 0, 3}, dt::f32, tag::nchw);
    const memory::desc weights({2, 2, 3, 3}, dt::f32, tag::oihw);
    const memory::desc bias({2}, dt::f32, tag::x);
    const memory::desc dst({1, 2, 2, 3}, dt::f32, tag::nchw);
    const dnnl::convolution_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct, src, weights, bias, dst,
            {1, 1}, {2, 1}, {2, 1});
    return run_twice<dnnl::convolution_forward>(pd, engine,
            {"convolution of an empty image",
                    {{DNNL_ARG_SRC, empty(src, engine)},
                            {DNNL_ARG_WEIGHTS, make_memory(weights, engine,
                                                       some_numbers(36))},
                            {DNNL_ARG_BIAS,
                                    make_memory(bias, engine,
                                            std::vector<float>{1.5f, -2.25f})}},
                    repeated({1.5f, -2.25f}, 6)});
}

bool convolve_back(const dnnl::engine &engine)
{
    const memory::desc src({1, 2, 0, 2}, dt::f32, tag::nchw);
    const memory::desc weights({3, 2, 3, 3}, dt::f32, tag::oihw);
    const memory::desc bias({3}, dt::f32, tag::x);
    const memory::desc dst({1, 3, 1, 5}, dt::f32, tag::nchw);
    const dnnl::deconvolution_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::deconvolution_direct, src, weights, bias, dst,
            {2, 2}, {0, 0}, {0, 0});
    return run_twice<dnnl::deconvolution_forward>(pd, engine,
            {"deconvolution of an empty image",
                    {{DNNL_ARG_SRC, empty(src, engine)},
                            {DNNL_ARG_WEIGHTS, make_memory(weights, engine,
                                                       some_numbers(54))},
                            {DNNL_ARG_BIAS, make_memory(bias, engine,
                                                    std::vector<float>{0.5f,
                                                            2.0f, -1.0f})}},
                    repeated({0.5f, 2.0f, -1.0f}, 5)});
}

bool pool(const dnnl::engine &engine, dnnl::algorithm algorithm, float expected)
{
    const memory::desc src({2, 3, 0, 4}, dt::f32, tag::nchw);
    const memory::desc dst({2, 3, 2, 4}, dt::f32, tag::nchw);
    const dnnl::pooling_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference, algorithm, src, dst, {1, 1},
            {2, 1}, {0, 0}, {2, 0}, {1, 0});
    return run_twice<dnnl::pooling_forward>(pd, engine,
            {"pooling of an empty image", {{DNNL_ARG_SRC, empty(src, engine)}},
                    repeated({expected}, 48)});
}

// No products: the bias.
bool multiply(const dnnl::engine &engine)
{
    const memory::desc src({2, 0}, dt::f32, tag::ab);
    const memory::desc weights({0, 3}, dt::f32, tag::ab);
    const memory::desc bias({1, 3}, dt::f32, tag::ab);
    const memory::desc dst({2, 3}, dt::f32, tag::ab);
    const dnnl::matmul::primitive_desc pd(engine, src, weights, bias, dst);
    return run_twice<dnnl::matmul>(pd, engine,
            {"matmul of nothing",
                    {{DNNL_ARG_SRC, empty(src, engine)},
                            {DNNL_ARG_WEIGHTS, empty(weights, engine)},
                            {DNNL_ARG_BIAS, make_memory(bias, engine,
                                                    std::vector<float>{1.0f,
                                                            2.0f, 3.0f})}},
                    {1.0f, 2.0f, 3.0f, 1.0f, 2.0f, 3.0f}});
}

bool reduce(const dnnl::engine &engine)
{
    const memory::desc src({0, 3}, dt::f32, tag::ab);
    const memory::desc dst({1, 3}, dt::f32, tag::ab);
    const dnnl::reduction::primitive_desc pd(
            engine, dnnl::algorithm::reduction_sum, src, dst, 0.0f, 0.0f);
    return run_twice<dnnl::reduction>(pd, engine,
            {"reduction of nothing", {{DNNL_ARG_SRC, empty(src, engine)}},
                    {0.0f, 0.0f, 0.0f}});
}

// Nothing is computed and nothing compiled.
bool make_nothing(const dnnl::engine &engine)
{
    const memory::desc md({0, 3}, dt::f32, tag::ab);
    const dnnl::eltwise_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
            md, md, 0.0f);
    const dnnl::eltwise_forward cold(pd);
    const std::vector<uint8_t> blob = cold.get_cache_blob();
    const dnnl::eltwise_forward warm(pd, blob);
    dnnl::stream stream(engine);
    warm.execute(stream, {{DNNL_ARG_SRC, empty(md, engine)},
                                 {DNNL_ARG_DST, empty(md, engine)}});
    stream.wait();
    return !pd.get_cache_blob_id().empty() && !blob.empty()
           && warm.get_cache_blob() == blob;
}

// The sizes' quotients; src is stretched by them, not by what was given.
bool stretch(const dnnl::engine &engine)
{
    const memory::desc src({1, 1, 4}, dt::f32, tag::abc);
    const dnnl::resampling_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::resampling_nearest, {1.7f}, src);
    const std::vector<float> factors = pd.get_factors();
    return factors.size() == 1 && factors[0] == 6.0f / 4.0f
           && run_twice<dnnl::resampling_forward>(pd, engine,
                   {"resampling",
                           {{DNNL_ARG_SRC,
                                   make_memory(src, engine,
                                           std::vector<float>{1, 2, 3, 4})}},
                           {1, 2, 2, 3, 4, 4}});
}

bool program()
{
    const dnnl::engine engine = program_engine();
    return convolve(engine) && convolve_back(engine)
           && pool(engine, dnnl::algorithm::pooling_max,
                   std::numeric_limits<float>::lowest())
           && pool(engine, dnnl::algorithm::pooling_avg_include_padding, 0.0f)
           && multiply(engine) && reduce(engine) && make_nothing(engine)
           && stretch(engine);
}

} // namespace

int main()
{
    return run_program(program);
}

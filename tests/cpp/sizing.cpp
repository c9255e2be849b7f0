// SPDX-License-Identifier: Apache-2.0
// Tensors made smaller and larger: reduction and resampling; and PReLU, with a
// slope for each channel, in a layout that the library chooses.
#include "program.hpp"

#include <algorithm>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

// Sums over the image: one number for each channel.
bool reduce(const dnnl::engine &engine, dnnl::stream &stream)
{
    const memory::dim n = 3, c = 5, h = 8, w = 6;
    const memory::desc src_md({n, c, h, w}, dt::f32, tag::nchw);
    const memory::desc dst_md({n, c, 1, 1}, dt::f32, tag::nchw);
    const std::vector<float> values =
            some_numbers(static_cast<size_t>(n * c * h * w));
    const memory src = make_memory(src_md, engine, values);
    const memory dst(dst_md, engine);

    const dnnl::reduction::primitive_desc pd(
            engine, dnnl::algorithm::reduction_sum, src_md, dst_md, 0.0f, 0.0f);
    dnnl::reduction(pd).execute(
            stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();

    std::vector<float> expected(static_cast<size_t>(n * c));
    for (size_t i = 0; i < values.size(); i++)
        expected[i / static_cast<size_t>(h * w)] += values[i];
    return same("reduction", expected, read_memory(dst));
}

// Twice as high and wide: each place is between two of src, a quarter from the
// nearer.
bool enlarge(const dnnl::engine &engine, dnnl::stream &stream)
{
    const memory::dim w = 9;
    const memory::desc src_md({1, 1, 1, w}, dt::f32, tag::nchw);
    const std::vector<float> values = some_numbers(static_cast<size_t>(w));
    const memory src = make_memory(src_md, engine, values);

    const dnnl::resampling_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_training,
            dnnl::algorithm::resampling_linear, {1.0f, 2.0f}, src_md);
    const memory dst(pd.dst_desc(), engine);
    dnnl::resampling_forward(pd).execute(
            stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();

    std::vector<float> expected;
    for (size_t i = 0; i < values.size(); i++) {
        const float left = values[i > 0 ? i - 1 : 0];
        const float right = values[std::min(i + 1, values.size() - 1)];
        expected.push_back(0.25f * left + 0.75f * values[i]);
        expected.push_back(0.75f * values[i] + 0.25f * right);
    }
    return same("resampling", expected, read_memory(dst), 1e-5f);
}

bool rectify(const dnnl::engine &engine, dnnl::stream &stream)
{
    const memory::dim n = 2, c = 4, w = 9;
    const memory::desc md({n, c, w}, dt::f32, tag::ncw);
    const memory::desc any({1, c, 1}, dt::f32, tag::any);
    const std::vector<float> values =
            some_numbers(static_cast<size_t>(n * c * w));
    const std::vector<float> slopes = {0.5f, -1.0f, 0.0f, 2.0f};
    const memory src = make_memory(md, engine, values);
    const memory dst(md, engine);

    const dnnl::prelu_forward::primitive_desc pd(
            engine, dnnl::prop_kind::forward_training, md, any, md);
    const memory weights = in_layout(pd.weights_desc(),
            make_memory(
                    memory::desc({1, c, 1}, dt::f32, tag::ncw), engine, slopes),
            stream);
    dnnl::prelu_forward(pd).execute(
            stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights},
                            {DNNL_ARG_DST, dst}});
    stream.wait();

    std::vector<float> expected(values);
    for (size_t i = 0; i < expected.size(); i++)
        if (values[i] < 0.0f)
            expected[i] *= slopes[i / static_cast<size_t>(w) % slopes.size()];
    return same("prelu", expected, read_memory(dst));
}

bool sizing()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);
    return reduce(engine, stream) && enlarge(engine, stream)
           && rectify(engine, stream);
}

} // namespace

int main()
{
    return run_program(sizing);
}

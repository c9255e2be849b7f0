// SPDX-License-Identifier: Apache-2.0
// Batch, layer and group normalization for training: with scale and shift, and
// mean and variance as results.
#include "program.hpp"

#include <unordered_map>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;
using flags = dnnl::normalization_flags;

const float epsilon = 1.0e-5f;
const flags scale_and_shift = flags::use_scale | flags::use_shift;

// Which of the means an element belongs to, and which of the scales.
typedef size_t (*part_of)(size_t element);

struct normalized {
    std::vector<float> dst, mean, variance;
};

normalized normalize(const std::vector<float> &src, size_t parts, part_of mean,
        part_of scale, const std::vector<float> &scales,
        const std::vector<float> &shifts)
{
    std::vector<double> sum(parts), squares(parts);
    const double count = static_cast<double>(src.size() / parts);
    for (size_t i = 0; i < src.size(); i++)
        sum[mean(i)] += static_cast<double>(src[i]) / count;
    for (size_t i = 0; i < src.size(); i++)
        squares[mean(i)] +=
                std::pow(static_cast<double>(src[i]) - sum[mean(i)], 2) / count;
    normalized result;
    for (size_t i = 0; i < src.size(); i++) {
        const double d =
                (static_cast<double>(src[i]) - sum[mean(i)])
                / std::sqrt(squares[mean(i)] + static_cast<double>(epsilon));
        result.dst.push_back(
                static_cast<float>(d * static_cast<double>(scales[scale(i)])
                                   + static_cast<double>(shifts[scale(i)])));
    }
    result.mean.assign(sum.begin(), sum.end());
    result.variance.assign(squares.begin(), squares.end());
    return result;
}

std::vector<float> around(float middle, size_t count)
{
    std::vector<float> values(count);
    for (size_t i = 0; i < count; i++)
        values[i] = middle + 0.125f * static_cast<float>(i % 5);
    return values;
}

// Runs a primitive whose statistics are results, and compares all three.
template <typename T>
bool run(const char *name, const typename T::primitive_desc &pd,
        const dnnl::engine &engine, const std::vector<float> &src,
        const std::vector<float> &scales, const std::vector<float> &shifts,
        const normalized &expected)
{
    dnnl::stream stream(engine);
    const memory::desc vector(
            {static_cast<memory::dim>(scales.size())}, dt::f32, tag::a);
    const memory dst(pd.dst_desc(), engine);
    const memory mean(pd.mean_desc(), engine);
    const memory variance(pd.variance_desc(), engine);
    T(pd).execute(stream,
            {{DNNL_ARG_SRC, make_memory(pd.src_desc(), engine, src)},
                    {DNNL_ARG_SCALE, make_memory(vector, engine, scales)},
                    {DNNL_ARG_SHIFT, make_memory(vector, engine, shifts)},
                    {DNNL_ARG_MEAN, mean}, {DNNL_ARG_VARIANCE, variance},
                    {DNNL_ARG_DST, dst}});
    stream.wait();
    std::printf("%s\n", name);
    return same("  mean", expected.mean, read_memory(mean), 1e-4f)
           && same("  variance", expected.variance, read_memory(variance),
                   1e-3f)
           && same("  dst", expected.dst, read_memory(dst), 1e-4f);
}

// Tensors of n images, or lines, with c channels.
const memory::dim n = 3, c = 4, h = 5, w = 7, groups = 2;
const size_t plane = static_cast<size_t>(h * w);
const size_t elements = static_cast<size_t>(n * c) * plane;

size_t channel(size_t i)
{
    return i / plane % c;
}

size_t group(size_t i)
{
    return i / (plane * (c / groups));
}

size_t line(size_t i)
{
    return i / w;
}

size_t column(size_t i)
{
    return i % w;
}

bool batch(const dnnl::engine &engine)
{
    const std::vector<float> src = some_numbers(elements);
    const std::vector<float> scales = around(0.75f, c), shifts = around(-1, c);
    const memory::desc md({n, c, h, w}, dt::f32, tag::nchw);
    return run<dnnl::batch_normalization_forward>("batch normalization",
            dnnl::batch_normalization_forward::primitive_desc(engine,
                    dnnl::prop_kind::forward_training, md, md, epsilon,
                    scale_and_shift),
            engine, src, scales, shifts,
            normalize(src, c, channel, channel, scales, shifts));
}

bool layer(const dnnl::engine &engine)
{
    const std::vector<float> src = some_numbers(elements);
    const std::vector<float> scales = around(0.75f, w), shifts = around(-1, w);
    const memory::desc md({n * c, h, w}, dt::f32, tag::tnc);
    return run<dnnl::layer_normalization_forward>("layer normalization",
            dnnl::layer_normalization_forward::primitive_desc(engine,
                    dnnl::prop_kind::forward_training, md, md, epsilon,
                    scale_and_shift),
            engine, src, scales, shifts,
            normalize(src, elements / w, line, column, scales, shifts));
}

bool in_groups(const dnnl::engine &engine)
{
    const std::vector<float> src = some_numbers(elements);
    const std::vector<float> scales = around(0.75f, c), shifts = around(-1, c);
    const memory::desc md({n, c, h, w}, dt::f32, tag::nchw);
    return run<dnnl::group_normalization_forward>("group normalization",
            dnnl::group_normalization_forward::primitive_desc(engine,
                    dnnl::prop_kind::forward_training, md, md, groups, epsilon,
                    scale_and_shift),
            engine, src, scales, shifts,
            normalize(src, n * groups, group, channel, scales, shifts));
}

bool normalizations()
{
    const dnnl::engine engine = program_engine();
    return batch(engine) && layer(engine) && in_groups(engine);
}

} // namespace

int main()
{
    return run_program(normalizations);
}

// SPDX-License-Identifier: Apache-2.0
// Tensors joined and mixed: concat, sum and shuffle, with destinations that the
// library chooses.
#include "program.hpp"

#include <unordered_map>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim n = 2, c = 6, h = 5, w = 7;
const size_t image = static_cast<size_t>(c * h * w); // elements of one

bool concatenate(const dnnl::engine &engine, dnnl::stream &stream)
{
    const memory::dims dims = {n, c, h, w};
    const memory::desc md(dims, dt::f32, tag::nchw);
    const std::vector<float> values = some_numbers(n * image);
    std::vector<memory::desc> descs;
    std::unordered_map<int, memory> args;
    for (int i = 0; i < 3; i++) {
        std::vector<float> some(values);
        for (float &value : some)
            value += 100.0f * static_cast<float>(i);
        descs.push_back(md);
        args.insert({DNNL_ARG_MULTIPLE_SRC + i, make_memory(md, engine, some)});
    }

    const dnnl::concat::primitive_desc pd(engine, 1, descs);
    const memory dst(pd.dst_desc(), engine);
    args.insert({DNNL_ARG_DST, dst});
    dnnl::concat(pd).execute(stream, args);
    stream.wait();

    std::vector<float> expected;
    for (size_t of = 0; of < static_cast<size_t>(n); of++)
        for (int i = 0; i < 3; i++)
            for (size_t j = 0; j < image; j++)
                expected.push_back(values[of * image + j]
                                   + 100.0f * static_cast<float>(i));
    return pd.dst_desc() == memory::desc({n, 3 * c, h, w}, dt::f32, tag::nchw)
           && same("concat", expected, read_memory(dst));
}

bool add(const dnnl::engine &engine, dnnl::stream &stream)
{
    const memory::desc md({n, c, h, w}, dt::f32, tag::nchw);
    const std::vector<float> values = some_numbers(n * image);
    const std::vector<float> scales = {1.0f, -2.0f, 0.5f, 4.0f};
    std::unordered_map<int, memory> args;
    for (size_t i = 0; i < scales.size(); i++)
        args.insert({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i),
                make_memory(md, engine, values)});

    const dnnl::sum::primitive_desc pd(
            engine, scales, std::vector<memory::desc>(scales.size(), md));
    const memory dst(pd.dst_desc(), engine);
    args.insert({DNNL_ARG_DST, dst});
    dnnl::sum(pd).execute(stream, args);
    stream.wait();

    std::vector<float> expected(values);
    for (float &value : expected)
        value *= 1.0f - 2.0f + 0.5f + 4.0f;
    return same("sum", expected, read_memory(dst));
}

// Channels of three groups, one of each after the other.
bool shuffle(const dnnl::engine &engine, dnnl::stream &stream)
{
    const int group = 2;
    const memory::desc md({n, c, h, w}, dt::f32, tag::nchw);
    const std::vector<float> values = some_numbers(n * image);
    const memory src = make_memory(md, engine, values);
    const memory dst(md, engine);

    const dnnl::shuffle_forward::primitive_desc pd(
            engine, dnnl::prop_kind::forward_training, md, md, 1, group);
    dnnl::shuffle_forward(pd).execute(
            stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();

    std::vector<float> expected(values.size());
    const size_t plane = static_cast<size_t>(h * w);
    for (size_t i = 0; i < expected.size(); i++) {
        const size_t channel = i / plane % c;
        const size_t from =
                channel % (c / group) * group + channel / (c / group);
        expected[i] = values[i + from * plane - channel * plane];
    }
    return same("shuffle", expected, read_memory(dst));
}

bool joining()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);
    return concatenate(engine, stream) && add(engine, stream)
           && shuffle(engine, stream);
}

} // namespace

int main()
{
    return run_program(joining);
}

// SPDX-License-Identifier: Apache-2.0
// A batch normalization of bytes in place, made of one binary primitive with
// three more in its post-ops: ((x - mean) / deviation) * scale + shift, each of
// one number for a channel.
#include "program.hpp"

#include <algorithm>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim n = 2, c = 3, h = 5, w = 7;

float normalized(float x, size_t channel, const std::vector<float> *numbers)
{
    x = (x - numbers[0][channel]) / numbers[1][channel] * numbers[2][channel]
        + numbers[3][channel];
    return std::min(255.0f, std::max(0.0f, std::nearbyint(x)));
}

bool bytes_in_place()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);
    const memory::desc md({n, c, h, w}, dt::u8, tag::nhwc);
    const memory::desc per_channel({1, c, 1, 1}, dt::f32, tag::nhwc);
    std::vector<uint8_t> image(static_cast<size_t>(n * c * h * w));
    for (size_t i = 0; i < image.size(); i++)
        image[i] = static_cast<uint8_t>(i * 37 % 256);
    // No result is halfway between two bytes.
    const std::vector<float> numbers[] = {{10.0f, 20.0f, 0.0f},
            {2.0f, 4.0f, 0.5f}, {3.0f, 1.0f, 0.25f}, {0.125f, 60.125f, 7.125f}};

    dnnl::post_ops ops;
    ops.append_binary(dnnl::algorithm::binary_div, per_channel);
    ops.append_binary(dnnl::algorithm::binary_mul, per_channel);
    ops.append_binary(dnnl::algorithm::binary_add, per_channel);
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    const dnnl::binary::primitive_desc pd(
            engine, dnnl::algorithm::binary_sub, md, per_channel, md, attr);

    const memory bytes = make_memory(md, engine, image);
    memory given[4];
    for (int i = 0; i < 4; i++)
        given[i] = make_memory(per_channel, engine, numbers[i]);
    dnnl::binary(pd).execute(
            stream, {{DNNL_ARG_SRC_0, bytes}, {DNNL_ARG_SRC_1, given[0]},
                            {DNNL_ARG_DST, bytes},
                            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1,
                                    given[1]},
                            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(1) | DNNL_ARG_SRC_1,
                                    given[2]},
                            {DNNL_ARG_ATTR_MULTIPLE_POST_OP(2) | DNNL_ARG_SRC_1,
                                    given[3]}});
    stream.wait();

    std::vector<float> expected;
    for (size_t i = 0; i < image.size(); i++)
        expected.push_back(normalized(image[i], i % c, numbers));
    return same("normalized bytes", expected, read_numbers<uint8_t>(bytes));
}

} // namespace

int main()
{
    return run_program(bytes_in_place);
}

// SPDX-License-Identifier: Apache-2.0
// A matrix product of bytes for batches of any size: the number of lines is
// known when it is executed. src and dst have a scale and a zero point, the
// weights a scale for each column, and a relu is applied.
#include "program.hpp"

#include <algorithm>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim inner = 48, columns = 20;
const float src_scale = 0.5f, dst_scale = 8.0f;
const int32_t src_zero = 120, dst_zero = 10;

memory make_number(const dnnl::engine &engine, float value)
{
    return make_memory(memory::desc({1}, dt::f32, tag::x), engine,
            std::vector<float>{value});
}

memory make_zero_point(const dnnl::engine &engine, int32_t value)
{
    return make_memory(memory::desc({1}, dt::s32, tag::x), engine,
            std::vector<int32_t>{value});
}

dnnl::matmul::primitive_desc describe(const dnnl::engine &engine)
{
    const memory::dim lines = DNNL_RUNTIME_DIM_VAL;
    dnnl::post_ops ops;
    ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    dnnl::primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 1);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_zero_points_mask(DNNL_ARG_SRC, 0);
    attr.set_zero_points_mask(DNNL_ARG_DST, 0);
    attr.set_post_ops(ops);
    return dnnl::matmul::primitive_desc(engine,
            memory::desc({lines, inner}, dt::u8, tag::ab),
            memory::desc({inner, columns}, dt::s8, tag::any),
            memory::desc({lines, columns}, dt::u8, tag::ab), attr);
}

struct matrices {
    std::vector<uint8_t> src;
    std::vector<int8_t> weights;
    std::vector<float> scales; // of the columns; powers of two
};

matrices make_matrices(memory::dim lines)
{
    matrices made;
    for (memory::dim i = 0; i < lines * inner; i++)
        made.src.push_back(static_cast<uint8_t>(i * 37 % 256));
    for (memory::dim i = 0; i < inner * columns; i++)
        made.weights.push_back(static_cast<int8_t>(i * 29 % 127 - 63));
    for (memory::dim i = 0; i < columns; i++)
        made.scales.push_back(i % 2 == 0 ? 0.25f : 0.125f);
    return made;
}

// All sums are exact in f32; what becomes a byte is rounded to nearest even.
std::vector<float> compute(const matrices &given)
{
    std::vector<float> dst;
    for (size_t i = 0; i < given.src.size() / inner * columns; i++) {
        const size_t line = i / columns, column = i % columns;
        int sum = 0;
        for (size_t k = 0; k < static_cast<size_t>(inner); k++)
            sum += (given.src[line * inner + k] - src_zero)
                   * given.weights[k * columns + column];
        const float value = std::max(0.0f,
                static_cast<float>(sum) * src_scale * given.scales[column]);
        dst.push_back(
                std::min(255.0f, std::nearbyint(value / dst_scale) + dst_zero));
    }
    return dst;
}

bool run(const dnnl::matmul &matmul, const memory::desc &weights_md,
        const dnnl::engine &engine, memory::dim lines)
{
    dnnl::stream stream(engine);
    const matrices given = make_matrices(lines);
    const memory weights = in_layout(weights_md,
            make_memory(memory::desc({inner, columns}, dt::s8, tag::ab), engine,
                    given.weights),
            stream);
    const memory dst(memory::desc({lines, columns}, dt::u8, tag::ab), engine);
    matmul.execute(stream,
            {{DNNL_ARG_SRC,
                     make_memory(memory::desc({lines, inner}, dt::u8, tag::ab),
                             engine, given.src)},
                    {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC,
                            make_number(engine, src_scale)},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                            make_memory(
                                    memory::desc({columns}, dt::f32, tag::x),
                                    engine, given.scales)},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST,
                            make_number(engine, dst_scale)},
                    {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC,
                            make_zero_point(engine, src_zero)},
                    {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST,
                            make_zero_point(engine, dst_zero)}});
    stream.wait();
    return same("dst", compute(given), read_numbers<uint8_t>(dst));
}

bool int8_matmul()
{
    const dnnl::engine engine = program_engine();
    const auto pd = describe(engine);
    const dnnl::matmul matmul(pd);
    return run(matmul, pd.weights_desc(), engine, 1)
           && run(matmul, pd.weights_desc(), engine, 7)
           && run(matmul, pd.weights_desc(), engine, 100);
}

} // namespace

int main()
{
    return run_program(int8_matmul);
}

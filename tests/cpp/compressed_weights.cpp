// SPDX-License-Identifier: Apache-2.0
// Weights of four bits, which a reorder makes, with zero points and scales by
// groups: multiplied by a vector, and by any number of lines.
#include "program.hpp"

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim inner = 96, columns = 24, group = 32;
const memory::dim groups = inner / group;

// All numbers are such that floats are exact.
struct matrices {
    std::vector<float> src, weights, scales;
    std::vector<uint8_t> zeros;
};

matrices make_matrices(memory::dim lines)
{
    matrices made;
    made.src = some_numbers(static_cast<size_t>(lines * inner));
    for (memory::dim i = 0; i < inner * columns; i++)
        made.weights.push_back(static_cast<float>(i * 29 % 16));
    for (memory::dim i = 0; i < groups * columns; i++) {
        made.scales.push_back(i % 3 == 0 ? 0.25f : 2.0f);
        made.zeros.push_back(static_cast<uint8_t>(i * 5 % 16));
    }
    return made;
}

std::vector<float> compute(const matrices &given)
{
    std::vector<float> dst;
    for (size_t i = 0; i < given.src.size() / inner * columns; i++) {
        const size_t line = i / columns, column = i % columns;
        float sum = 0.0f;
        for (size_t k = 0; k < static_cast<size_t>(inner); k++) {
            const size_t number = k / group * columns + column;
            sum += given.src[line * inner + k] * given.scales[number]
                   * (given.weights[k * columns + column]
                           - static_cast<float>(given.zeros[number]));
        }
        dst.push_back(sum);
    }
    return dst;
}

dnnl::matmul make_product(
        const dnnl::engine &engine, memory::dim lines, tag weights)
{
    const int both = (1 << 0) + (1 << 1);
    dnnl::primitive_attr attr;
    attr.set_fpmath_mode(dnnl::fpmath_mode::bf16, true);
    attr.set_scales(DNNL_ARG_WEIGHTS, both, {group, 1}, dt::f32);
    attr.set_zero_points(DNNL_ARG_WEIGHTS, both, {group, 1}, dt::u8);
    return dnnl::matmul(dnnl::matmul::primitive_desc(engine,
            memory::desc({lines, inner}, dt::f32, tag::ab),
            memory::desc({inner, columns}, dt::u4, weights),
            memory::desc({lines, columns}, dt::f32, tag::ab), attr));
}

bool run(const dnnl::matmul &product, const dnnl::engine &engine,
        memory::dim lines, tag layout)
{
    dnnl::stream stream(engine);
    const matrices given = make_matrices(lines);
    const memory::desc numbers({groups, columns}, dt::f32, tag::ab);
    const memory::desc zeros({groups, columns}, dt::u8, tag::ab);
    const memory weights = in_layout(
            memory::desc({inner, columns}, dt::u4, layout),
            make_memory(memory::desc({inner, columns}, dt::f32, tag::ab),
                    engine, given.weights),
            stream);
    const memory dst(memory::desc({lines, columns}, dt::f32, tag::ab), engine);
    product.execute(stream,
            {{DNNL_ARG_SRC,
                     make_memory(memory::desc({lines, inner}, dt::f32, tag::ab),
                             engine, given.src)},
                    {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS,
                            make_memory(numbers, engine, given.scales)},
                    {DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_WEIGHTS,
                            make_memory(zeros, engine, given.zeros)}});
    stream.wait();
    return same("dst", compute(given), read_memory(dst));
}

bool compressed_weights()
{
    const dnnl::engine engine = program_engine();
    const dnnl::matmul any_lines =
            make_product(engine, DNNL_RUNTIME_DIM_VAL, tag::ab);
    return run(make_product(engine, 1, tag::ab), engine, 1, tag::ab)
           && run(make_product(engine, 1, tag::ba), engine, 1, tag::ba)
           && run(any_lines, engine, 1, tag::ab)
           && run(any_lines, engine, 17, tag::ab);
}

} // namespace

int main()
{
    return run_program(compressed_weights);
}

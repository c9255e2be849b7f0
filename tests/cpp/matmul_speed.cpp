// SPDX-License-Identifier: Apache-2.0
// How fast matrix products of each type are, in layouts that the primitive
// chooses. A type that the device has not is told, not failed on.
#include "program.hpp"

#include <chrono>
#include <unordered_map>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const int repetitions = 5;

// The matrix of f32 in another type and layout; its elements are small whole
// numbers, which every type has.
memory converted(const std::vector<float> &numbers, const memory::desc &wanted,
        const dnnl::engine &engine, dnnl::stream &stream)
{
    const memory given = make_memory(
            memory::desc(wanted.get_dims(), dt::f32, tag::ab), engine, numbers);
    return in_layout(wanted, given, stream);
}

// The corners and the middle, whose sums are exact in f32, rounded to dst.
bool is_right(const std::vector<float> &src, const std::vector<float> &weights,
        const std::vector<float> &dst, size_t size)
{
    const size_t places[] = {0, size - 1, size * size - size, size * size - 1,
            size * size / 2 + size / 2};
    for (size_t place : places) {
        float sum = 0.0f;
        for (size_t k = 0; k < size; k++)
            sum += src[place / size * size + k]
                   * weights[k * size + place % size];
        if (std::fabs(dst[place] - sum) <= std::fabs(sum) / 128.0f) continue;
        std::fprintf(stderr, "element %zu is %g, not %g\n", place,
                static_cast<double>(dst[place]), static_cast<double>(sum));
        return false;
    }
    return true;
}

bool measure(const char *name, dt type, dt dst_type, memory::dim size,
        const dnnl::engine &engine)
{
    dnnl::stream stream(engine);
    const memory::dims dims = {size, size};
    const dnnl::matmul::primitive_desc pd(engine,
            memory::desc(dims, type, tag::any),
            memory::desc(dims, type, tag::any),
            memory::desc(dims, dst_type, tag::any));
    const dnnl::matmul matmul(pd);

    std::vector<float> numbers = some_numbers(static_cast<size_t>(size * size));
    const memory src = converted(numbers, pd.src_desc(), engine, stream);
    const memory weights =
            converted(numbers, pd.weights_desc(), engine, stream);
    const memory dst(pd.dst_desc(), engine);
    const std::unordered_map<int, memory> args = {{DNNL_ARG_SRC, src},
            {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}};
    matmul.execute(stream, args); // the first one may be slower
    stream.wait();

    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < repetitions; i++)
        matmul.execute(stream, args);
    stream.wait();
    const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - began;
    const double operations = 2.0 * std::pow(size, 3) * repetitions;
    std::printf("%s, %d x %d: %.2f GFlop/s\n", name, static_cast<int>(size),
            static_cast<int>(size), operations / took.count() * 1e-9);

    const memory result =
            in_layout(memory::desc(dims, dt::f32, tag::ab), dst, stream);
    stream.wait();
    return is_right(
            numbers, numbers, read_memory(result), static_cast<size_t>(size));
}

bool matmul_speed()
{
    const struct {
        const char *name;
        dt type, dst;
    } types[] = {{"f32", dt::f32, dt::f32}, {"f16", dt::f16, dt::f16},
            {"bf16", dt::bf16, dt::bf16}, {"s8", dt::s8, dt::s32}};
    const dnnl::engine engine = program_engine();
    for (const auto &t : types) {
        try {
            for (memory::dim size : {32, 96})
                if (!measure(t.name, t.type, t.dst, size, engine)) return false;
        } catch (const dnnl::error &e) {
            // f32 must work.
            if (e.status != dnnl_unimplemented || t.type == dt::f32) throw;
            std::printf("%s: not on this device\n", t.name);
        }
    }
    return true;
}

} // namespace

int main()
{
    return run_program(matmul_speed);
}

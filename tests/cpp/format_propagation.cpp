// SPDX-License-Identifier: Apache-2.0
// A convolution and a pooling that choose their layouts themselves: the
// program asks for them, and reorders what is in another one.
#include "plain.hpp"
#include "program.hpp"

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim n = 2, ic = 3, oc = 5, size = 13;

bool format_propagation()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);
    const memory::dim pooled = (size - 2) / 2 + 1;

    // What the program has is in nchw and oihw; the primitives may have any.
    const dnnl::convolution_forward::primitive_desc conv_pd(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_auto,
            memory::desc({n, ic, size, size}, dt::f32, tag::any),
            memory::desc({oc, ic, 3, 3}, dt::f32, tag::any),
            memory::desc({n, oc, size, size}, dt::f32, tag::any), {1, 1},
            {1, 1}, {1, 1});
    const dnnl::pooling_forward::primitive_desc pool_pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::pooling_max,
            conv_pd.dst_desc(),
            memory::desc({n, oc, pooled, pooled}, dt::f32, tag::any), {2, 2},
            {2, 2}, {0, 0}, {0, 0}, {0, 0});

    plain::images images(n, ic, size, size);
    images.values = some_numbers(images.values.size());
    const std::vector<float> numbers =
            some_numbers(static_cast<size_t>(oc * ic * 3 * 3));
    const memory src =
            make_memory(memory::desc({n, ic, size, size}, dt::f32, tag::nchw),
                    engine, images.values);
    const memory weights = make_memory(
            memory::desc({oc, ic, 3, 3}, dt::f32, tag::oihw), engine, numbers);
    const memory dst(
            memory::desc({n, oc, pooled, pooled}, dt::f32, tag::nchw), engine);

    const memory conv_src = in_layout(conv_pd.src_desc(), src, stream);
    const memory conv_weights =
            in_layout(conv_pd.weights_desc(), weights, stream);
    const memory conv_dst(conv_pd.dst_desc(), engine);
    const memory pool_dst = pool_pd.dst_desc() == dst.get_desc()
                                    ? dst
                                    : memory(pool_pd.dst_desc(), engine);
    // None of the primitives has a scratchpad: a memory of nothing.
    const memory scratchpad(conv_pd.scratchpad_desc(), engine);
    dnnl::convolution_forward(conv_pd).execute(
            stream, {{DNNL_ARG_SRC, conv_src}, {DNNL_ARG_WEIGHTS, conv_weights},
                            {DNNL_ARG_SCRATCHPAD, scratchpad},
                            {DNNL_ARG_DST, conv_dst}});
    dnnl::pooling_forward(pool_pd).execute(
            stream, {{DNNL_ARG_SRC, conv_dst}, {DNNL_ARG_DST, pool_dst}});
    if (pool_dst != dst)
        dnnl::reorder(pool_dst, dst).execute(stream, pool_dst, dst);
    stream.wait();

    const plain::images expected = plain::pool(
            plain::convolve(images, numbers, std::vector<float>(oc), 3, 1, 1),
            2, 2);
    return same("pooled", expected.values, read_memory(dst));
}

} // namespace

int main()
{
    return run_program(format_propagation);
}

// SPDX-License-Identifier: Apache-2.0
// A convolution of bytes: images and weights are quantized by reorders, the
// results are brought back to f32 by another. All scales are powers of two, so
// that nothing is rounded but what becomes bytes.
#include "plain.hpp"
#include "program.hpp"

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim n = 2, ic = 4, oc = 6, size = 9;

// The element that stands for a value, as a byte.
float quantize(float value, float scale, float low, float high)
{
    return std::min(high, std::max(low, std::nearbyint(value / scale)));
}

memory make_scales(const dnnl::engine &engine, const std::vector<float> &scales)
{
    return make_memory(memory::desc({static_cast<memory::dim>(scales.size())},
                               dt::f32, tag::x),
            engine, scales);
}

// The tensor in bytes of a descriptor: element * scale is about the value.
memory quantized(const memory &given, const memory::desc &wanted,
        const memory &scales, int mask, dnnl::stream &stream)
{
    dnnl::primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_DST, mask);
    const dnnl::engine engine = given.get_engine();
    const memory made(wanted, engine);
    const dnnl::reorder::primitive_desc pd(
            engine, given.get_desc(), engine, wanted, attr);
    dnnl::reorder(pd).execute(
            stream, {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, made},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, scales}});
    return made;
}

// And back.
memory dequantized(
        const memory &given, const memory &scales, dnnl::stream &stream)
{
    dnnl::primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    const dnnl::engine engine = given.get_engine();
    const memory made(
            memory::desc({n, oc, size, size}, dt::f32, tag::nchw), engine);
    const dnnl::reorder::primitive_desc pd(
            engine, given.get_desc(), engine, made.get_desc(), attr);
    dnnl::reorder(pd).execute(
            stream, {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, made},
                            {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, scales}});
    return made;
}

struct network {
    plain::images image;
    std::vector<float> weights, bias;
    float src_scale, dst_scale;
    std::vector<float> weights_scales; // one for each output channel
};

network make_network()
{
    network net = {plain::images(n, ic, size, size),
            some_numbers(static_cast<size_t>(oc * ic * 3 * 3)),
            some_numbers(static_cast<size_t>(oc)), 0.5f, 16.0f,
            {1.0f, 0.5f, 0.25f, 2.0f, 1.0f, 0.5f}};
    net.image.values = some_numbers(net.image.values.size());
    for (float &value : net.image.values)
        value = std::fabs(value) + 0.25f;
    return net;
}

dnnl::convolution_forward::primitive_desc describe(const dnnl::engine &engine)
{
    dnnl::post_ops ops;
    ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
    dnnl::primitive_attr attr;
    attr.set_scales_mask(DNNL_ARG_SRC, 0);
    attr.set_scales_mask(DNNL_ARG_WEIGHTS, 1 << 0);
    attr.set_scales_mask(DNNL_ARG_DST, 0);
    attr.set_post_ops(ops);
    return dnnl::convolution_forward::primitive_desc(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct,
            memory::desc({n, ic, size, size}, dt::u8, tag::any),
            memory::desc({oc, ic, 3, 3}, dt::s8, tag::any),
            memory::desc({oc}, dt::f32, tag::x),
            memory::desc({n, oc, size, size}, dt::u8, tag::any), {1, 1}, {1, 1},
            {1, 1}, attr);
}

std::vector<float> compute(const network &net)
{
    plain::images src(net.image);
    for (float &value : src.values)
        value = net.src_scale * quantize(value, net.src_scale, 0.0f, 255.0f);
    std::vector<float> weights(net.weights);
    for (size_t i = 0; i < weights.size(); i++) {
        const float scale = net.weights_scales[i * oc / weights.size()];
        weights[i] = scale * quantize(weights[i], scale, -128.0f, 127.0f);
    }
    plain::images dst =
            plain::relu(plain::convolve(src, weights, net.bias, 3, 1, 1));
    for (float &value : dst.values)
        value = net.dst_scale * quantize(value, net.dst_scale, 0.0f, 255.0f);
    return dst.values;
}

bool int8_convolution()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);
    const network net = make_network();
    const auto pd = describe(engine);

    const memory src_scales = make_scales(engine, {net.src_scale});
    const memory dst_scales = make_scales(engine, {net.dst_scale});
    const memory weights_scales = make_scales(engine, net.weights_scales);
    const memory image =
            make_memory(memory::desc({n, ic, size, size}, dt::f32, tag::nchw),
                    engine, net.image.values);
    const memory weights =
            make_memory(memory::desc({oc, ic, 3, 3}, dt::f32, tag::oihw),
                    engine, net.weights);
    const memory dst(pd.dst_desc(), engine);
    dnnl::convolution_forward(pd).execute(stream,
            {{DNNL_ARG_SRC,
                     quantized(image, pd.src_desc(), src_scales, 0, stream)},
                    {DNNL_ARG_WEIGHTS, quantized(weights, pd.weights_desc(),
                                               weights_scales, 1 << 0, stream)},
                    {DNNL_ARG_BIAS,
                            make_memory(pd.bias_desc(), engine, net.bias)},
                    {DNNL_ARG_DST, dst},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC, src_scales},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, weights_scales},
                    {DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST, dst_scales}});
    const memory result = dequantized(dst, dst_scales, stream);
    stream.wait();
    return same("dst", compute(net), read_memory(result));
}

} // namespace

int main()
{
    return run_program(int8_convolution);
}

// SPDX-License-Identifier: Apache-2.0
// The first and last layers of a network for images: convolution, relu, local
// response normalization, max pooling, inner product. The convolution and the
// inner product choose layouts; the net is run several times, as a server does.
#include "plain.hpp"
#include "program.hpp"

#include <unordered_map>

namespace
{

using dnnl::memory;
using dt = memory::data_type;
using tag = memory::format_tag;

const memory::dim n = 2, ic = 3, oc = 8, size = 19, classes = 10;
const memory::dim conv_size = (size + 2 - 5) / 2 + 1;
const memory::dim pool_size = (conv_size - 3) / 2 + 1;
const memory::dim around = 5; // channels that LRN looks at
const float alpha = 0.01f, beta = 0.75f, k = 1.0f;

class net
{
  public:
    explicit net(const dnnl::engine &engine) : m_engine(engine) {}

    void add(const dnnl::primitive &primitive,
            const std::unordered_map<int, memory> &args)
    {
        m_primitives.push_back(primitive);
        m_args.push_back(args);
    }

    // A memory in the layout that is wanted; the reorder to it, if there must
    // be one, is a step of the net.
    memory in_layout(const memory::desc &wanted, const memory &given)
    {
        if (given.get_desc() == wanted) return given;
        const memory made(wanted, m_engine);
        add(dnnl::reorder(given, made),
                {{DNNL_ARG_FROM, given}, {DNNL_ARG_TO, made}});
        return made;
    }

    void run(dnnl::stream &stream) const
    {
        for (size_t i = 0; i < m_primitives.size(); i++)
            m_primitives[i].execute(stream, m_args[i]);
    }

  private:
    dnnl::engine m_engine;
    std::vector<dnnl::primitive> m_primitives;
    std::vector<std::unordered_map<int, memory>> m_args;
};

struct numbers {
    std::vector<float> image, conv_weights, conv_bias, weights, bias;
};

numbers make_numbers()
{
    return {some_numbers(static_cast<size_t>(n * ic * size * size)),
            some_numbers(static_cast<size_t>(oc * ic * 5 * 5)),
            some_numbers(static_cast<size_t>(oc)),
            some_numbers(
                    static_cast<size_t>(classes * oc * pool_size * pool_size)),
            some_numbers(static_cast<size_t>(classes))};
}

memory add_convolution(
        net &layers, const dnnl::engine &engine, const numbers &given)
{
    const memory src =
            make_memory(memory::desc({n, ic, size, size}, dt::f32, tag::nchw),
                    engine, given.image);
    const memory weights =
            make_memory(memory::desc({oc, ic, 5, 5}, dt::f32, tag::oihw),
                    engine, given.conv_weights);
    const memory bias = make_memory(
            memory::desc({oc}, dt::f32, tag::x), engine, given.conv_bias);
    const dnnl::convolution_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::convolution_direct,
            memory::desc({n, ic, size, size}, dt::f32, tag::any),
            memory::desc({oc, ic, 5, 5}, dt::f32, tag::any), bias.get_desc(),
            memory::desc({n, oc, conv_size, conv_size}, dt::f32, tag::any),
            {2, 2}, {1, 1}, {1, 1});
    const memory dst(pd.dst_desc(), engine);
    layers.add(dnnl::convolution_forward(pd),
            {{DNNL_ARG_SRC, layers.in_layout(pd.src_desc(), src)},
                    {DNNL_ARG_WEIGHTS,
                            layers.in_layout(pd.weights_desc(), weights)},
                    {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    return dst;
}

// Relu in place, LRN, max pooling.
memory add_middle(net &layers, const dnnl::engine &engine, const memory &src)
{
    const memory::desc md = src.get_desc();
    const dnnl::eltwise_forward::primitive_desc relu(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
            md, md);
    layers.add(dnnl::eltwise_forward(relu),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, src}});

    const dnnl::lrn_forward::primitive_desc lrn(engine,
            dnnl::prop_kind::forward_inference,
            dnnl::algorithm::lrn_across_channels, md, md, around, alpha, beta,
            k);
    const memory normalized(lrn.dst_desc(), engine);
    layers.add(dnnl::lrn_forward(lrn),
            {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, normalized}});

    const dnnl::pooling_forward::primitive_desc pool(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::pooling_max,
            lrn.dst_desc(),
            memory::desc({n, oc, pool_size, pool_size}, dt::f32, tag::any),
            {2, 2}, {3, 3}, {0, 0}, {0, 0}, {0, 0});
    const memory pooled(pool.dst_desc(), engine);
    layers.add(dnnl::pooling_forward(pool),
            {{DNNL_ARG_SRC, normalized}, {DNNL_ARG_DST, pooled}});
    return pooled;
}

memory add_inner_product(net &layers, const dnnl::engine &engine,
        const memory &src, const numbers &given)
{
    const memory::dims dims = {classes, oc, pool_size, pool_size};
    const memory weights = make_memory(
            memory::desc(dims, dt::f32, tag::oihw), engine, given.weights);
    const memory bias = make_memory(
            memory::desc({classes}, dt::f32, tag::x), engine, given.bias);
    const dnnl::inner_product_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference,
            memory::desc(src.get_desc().get_dims(), dt::f32, tag::any),
            memory::desc(dims, dt::f32, tag::any), bias.get_desc(),
            memory::desc({n, classes}, dt::f32, tag::any));
    const memory dst(pd.dst_desc(), engine);
    layers.add(dnnl::inner_product_forward(pd),
            {{DNNL_ARG_SRC, layers.in_layout(pd.src_desc(), src)},
                    {DNNL_ARG_WEIGHTS,
                            layers.in_layout(pd.weights_desc(), weights)},
                    {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, dst}});
    return layers.in_layout(memory::desc({n, classes}, dt::f32, tag::nc), dst);
}

plain::images normalize(const plain::images &src)
{
    plain::images dst(src);
    for (size_t d = 0; d < dst.values.size(); d++) {
        const size_t x = d % dst.w, y = d / dst.w % dst.h;
        const size_t i = d / dst.w / dst.h / dst.c;
        const size_t c = d / dst.w / dst.h % dst.c;
        double sum = 0.0;
        for (size_t near = 0; near < src.c; near++)
            if (near + around / 2 >= c && near <= c + around / 2)
                sum += std::pow(src.at(i, near, y, x), 2);
        sum = static_cast<double>(k)
              + static_cast<double>(alpha) * sum / around;
        dst.values[d] *=
                static_cast<float>(std::pow(sum, -static_cast<double>(beta)));
    }
    return dst;
}

bool cnn_inference()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);
    const numbers given = make_numbers();
    net layers(engine);
    const memory convolved = add_convolution(layers, engine, given);
    const memory pooled = add_middle(layers, engine, convolved);
    const memory result = add_inner_product(layers, engine, pooled, given);
    for (int i = 0; i < 10; i++) {
        layers.run(stream);
        stream.wait();
    }

    plain::images images(n, ic, size, size);
    images.values = given.image;
    const plain::images features =
            plain::pool(normalize(plain::relu(plain::convolve(images,
                                given.conv_weights, given.conv_bias, 5, 2, 1))),
                    3, 2);
    const std::vector<float> expected =
            plain::multiply(features.values, given.weights, given.bias);
    float largest = 1.0f;
    for (float value : expected)
        largest = std::max(largest, std::fabs(value));
    return same("sums", expected, read_memory(result), largest * 1e-5f);
}

} // namespace

int main()
{
    return run_program(cnn_inference);
}

// SPDX-License-Identifier: Apache-2.0
// A first program: an image in nhwc, and a relu of it.
#include "program.hpp"

#include <algorithm>

static bool getting_started()
{
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);

    const dnnl::memory::dim n = 1, h = 13, w = 11, c = 3;
    const dnnl::memory::desc by_tag({n, c, h, w}, dnnl::memory::data_type::f32,
            dnnl::memory::format_tag::nhwc);
    const dnnl::memory::desc by_strides({n, c, h, w},
            dnnl::memory::data_type::f32,
            dnnl::memory::dims({h * w * c, 1, w * c, c}));
    if (by_tag != by_strides) {
        std::fprintf(stderr, "nhwc has other strides\n");
        return false;
    }

    const dnnl::memory src(by_tag, engine);
    const dnnl::memory dst(by_strides, engine);
    const std::vector<float> image =
            some_numbers(static_cast<size_t>(n * h * w * c));
    write_memory(src, image);

    const dnnl::eltwise_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
            by_tag, by_strides, 0.0f, 0.0f);
    const dnnl::eltwise_forward relu(pd);
    relu.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();

    std::vector<float> expected(image);
    for (float &x : expected)
        x = std::max(x, 0.0f);
    return program_same(
            "relu", expected.size(), expected.data(), read_memory(dst).data());
}

int main()
{
    return run_program(getting_started);
}

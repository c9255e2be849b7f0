// SPDX-License-Identifier: Apache-2.0
// From the host's memory to the device, through a relu, and back; with the
// channels turned inside out on the way.
#include "dnnl.hpp" // as older programs have it
#include "program.hpp"

#include <algorithm>

static bool cross_engine_reorder()
{
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    const dnnl::engine engine = program_engine();
    dnnl::stream stream(engine);

    const dnnl::memory::dims dims = {2, 3, 4, 5};
    const dnnl::memory::desc nchw(
            dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::nchw);
    const dnnl::memory::desc nhwc(
            dims, dnnl::memory::data_type::f32, dnnl::memory::format_tag::nhwc);
    std::vector<float> there = some_numbers(2 * 3 * 4 * 5);
    std::vector<float> back(there.size(), -1.0f);
    dnnl::memory from(nchw, host, there.data());
    dnnl::memory to(nhwc, host, back.data());
    dnnl::memory plain(nchw, engine);
    dnnl::memory turned(nhwc, engine);

    const dnnl::eltwise_forward relu(dnnl::eltwise_forward::primitive_desc(
            engine, dnnl::prop_kind::forward_inference,
            dnnl::algorithm::eltwise_relu, nchw, nchw, 0.0f));
    dnnl::reorder(from, plain).execute(stream, from, plain);
    relu.execute(stream, {{DNNL_ARG_SRC, plain}, {DNNL_ARG_DST, plain}});
    dnnl::reorder(plain, turned).execute(stream, plain, turned);
    dnnl::reorder(turned, to).execute(stream, turned, to);
    stream.wait();

    std::vector<float> expected(there.size());
    size_t place = 0;
    for (size_t n = 0; n < 2; n++)
        for (size_t hw = 0; hw < 4 * 5; hw++)
            for (size_t c = 0; c < 3; c++)
                expected[place++] =
                        std::max(there[(n * 3 + c) * 4 * 5 + hw], 0.0f);
    return program_same("what came back", expected.size(), expected.data(),
            static_cast<float *>(to.get_data_handle()));
}

int main()
{
    return run_program(cross_engine_reorder);
}

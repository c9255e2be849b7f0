// SPDX-License-Identifier: Apache-2.0
//
// getting_started.cpp: getting_started.c in C++. Objects clean up behind
// themselves, and what fails is an exception.
//
//     getting_started_cpp       on the first OpenCL device
//     getting_started_cpp 1     on the second
//
#include "dnnl_cache.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace
{

const dnnl::memory::dim n = 1, c = 3, h = 13, w = 11;

std::vector<float> numbers()
{
    std::vector<float> values(static_cast<size_t>(n * c * h * w));
    for (size_t i = 0; i < values.size(); i++)
        values[i] = static_cast<float>(i % 7) - 3.0f;
    return values;
}

void write(const dnnl::memory &memory, const std::vector<float> &values)
{
    float *mapped = memory.map_data<float>();
    std::copy(values.begin(), values.end(), mapped);
    memory.unmap_data(mapped);
}

// Runs the primitive; is there max(0, value) everywhere?
bool run(const dnnl::eltwise_forward &relu, dnnl::stream &stream,
        const dnnl::memory &src, const dnnl::memory &dst)
{
    relu.execute(stream, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
    stream.wait();

    std::vector<float> expected = numbers();
    for (float &value : expected)
        value = std::max(value, 0.0f);
    float *mapped = dst.map_data<float>();
    const bool right = std::equal(expected.begin(), expected.end(), mapped);
    dst.unmap_data(mapped);
    return right;
}

bool getting_started(size_t index)
{
    using dt = dnnl::memory::data_type;
    using tag = dnnl::memory::format_tag;

    // A device, a queue of work for it, and two tensors there.
    const dnnl::engine engine(dnnl::engine::kind::gpu, index);
    dnnl::stream stream(engine);
    const dnnl::memory::desc md({n, c, h, w}, dt::f32, tag::nhwc);
    const dnnl::memory src(md, engine), dst(md, engine);
    write(src, numbers());

    // What is to be computed, and the code for it: here it is compiled.
    const dnnl::eltwise_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
            md, md);
    std::vector<uint8_t> blob;
    bool right = true;
    {
        const dnnl::eltwise_forward relu(pd);
        right = run(relu, stream, src, dst);
        std::printf("compiled, %s\n", right ? "right" : "WRONG");
        // The code as bytes, to be kept under pd.get_cache_blob_id().
        blob = relu.get_cache_blob();
    }

    // As in a later run, which has none of this in memory.
    dnnl::set_primitive_cache_capacity(0);
    const dnnl::eltwise_forward again(pd, blob);
    right = run(again, stream, src, dst) && right;
    std::printf("from the blob, %s\n", right ? "right" : "WRONG");
    return right;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const size_t index = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
        return getting_started(index) ? 0 : 3;
    } catch (const dnnl::error &e) {
        std::fprintf(stderr, "getting_started_cpp: %s: %s\n", e.what(),
                dnnl_status2str(e.status));
    }
    return 1;
}

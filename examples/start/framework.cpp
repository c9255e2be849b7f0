/* SPDX-License-Identifier: Apache-2.0 */
/*
 * framework.cpp: code written for the oneDNN API that starts warm.
 *
 *     c++ framework.cpp -o framework $(pkg-config --cflags --libs \
 *         dnnl_cache_onednn_compat dnnl_cache_persistent_cache)
 *     ./framework kept      created in 1500 ms, right
 *     ./framework kept      created in 3 ms, right
 *
 * The first start compiles, the second one loads.
 */
#include <dnnl_cache/persistent_cache.hpp>
#include <oneapi/dnnl/dnnl.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

using dt = dnnl::memory::data_type;
using tag = dnnl::memory::format_tag;

static const dnnl::memory::dim rows = 64, inner = 32, columns = 48;

static dnnl::memory filled(
        const dnnl::memory::desc &md, const dnnl::engine &engine, float value)
{
    dnnl::memory memory(md, engine);
    float *data = memory.map_data<float>();
    for (size_t i = 0; i < md.get_size() / sizeof *data; i++)
        data[i] = value;
    memory.unmap_data(data);
    return memory;
}

static bool is_everywhere(const dnnl::memory &memory, float value)
{
    bool right = true;
    float *data = memory.map_data<float>();
    for (size_t i = 0; i < memory.get_desc().get_size() / sizeof *data; i++)
        right = right && data[i] == value;
    memory.unmap_data(data);
    return right;
}

static bool run()
{
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0); // any OpenCL device
    dnnl::stream stream(engine);
    const dnnl::memory::desc src({rows, inner}, dt::f32, tag::ab);
    const dnnl::memory::desc weights({inner, columns}, dt::f32, tag::ab);
    const dnnl::memory::desc dst({rows, columns}, dt::f32, tag::ab);
    const dnnl::memory result = filled(dst, engine, 0.0f);

    const auto began = std::chrono::steady_clock::now();
    const dnnl::matmul::primitive_desc pd(engine, src, weights, dst);
    const dnnl::matmul matmul(pd);
    const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - began;

    matmul.execute(
            stream, {{DNNL_ARG_SRC, filled(src, engine, 2.0f)},
                            {DNNL_ARG_WEIGHTS, filled(weights, engine, 3.0f)},
                            {DNNL_ARG_DST, result}});
    stream.wait();
    const bool right = is_everywhere(result, 6.0f * static_cast<float>(inner));
    std::printf("created in %.0f ms, %s\n", took.count(),
            right ? "right" : "WRONG");
    return right;
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        std::fprintf(stderr, "usage: framework FOLDER\n");
        return 2;
    }
    const char *const folder = argv[1];

    // ---- What is new --------------------------------------------------------
    // Once, at the start, on the main thread: keep what is compiled there.
    dnnl::set_persistent_cache_dir(folder);

    // ---- As it was ----------------------------------------------------------
    try {
        return run() ? 0 : 3;
    } catch (const dnnl::error &e) {
        std::fprintf(stderr, "framework: %s: %s\n", e.what(),
                dnnl_status2str(e.status));
        return 1;
    }
}

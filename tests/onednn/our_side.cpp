/* SPDX-License-Identifier: Apache-2.0 */
/* This library's side, through its C++ interface: classes of the names that
 * oneDNN's have. */
#include "dnnl_cache.hpp"
#include "test_platform.h"

#include "side_parts.h"

#include <cstring>
#include <exception>

namespace
{

struct session {
    dnnl::engine engine{test_platform_engine()};
    dnnl::stream stream{engine};
};

/* No exception leaves this file. */
void *session_open()
{
    try {
        return new session;
    } catch (const std::exception &) {
        return nullptr;
    }
}

void session_close(void *s)
{
    delete static_cast<session *>(s);
}

/* A tensor of rows * columns; values may be null. */
dnnl::memory make_memory(
        const session &s, int rows, int columns, const float *values)
{
    dnnl::memory memory({{rows, columns}, dnnl::memory::data_type::f32,
                                dnnl::memory::format_tag::ab},
            s.engine);
    if (values == nullptr) return memory;
    void *mapped = memory.map_data();
    std::memcpy(mapped, values, memory.get_desc().get_size());
    memory.unmap_data(mapped);
    return memory;
}

/* Waits for the tensor and takes its numbers. */
void read_memory(session &s, const dnnl::memory &memory, float *values)
{
    s.stream.wait();
    void *mapped = memory.map_data();
    std::memcpy(values, mapped, memory.get_desc().get_size());
    memory.unmap_data(mapped);
}

int matmul(void *session_, int m, int k, int n, const float *src,
        const float *weights, float *dst)
{
    try {
        auto &s = *static_cast<session *>(session_);
        auto a = make_memory(s, m, k, src);
        auto b = make_memory(s, k, n, weights);
        auto c = make_memory(s, m, n, nullptr);
        dnnl::matmul(dnnl::matmul::primitive_desc(s.engine, a.get_desc(),
                             b.get_desc(), c.get_desc()))
                .execute(s.stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b},
                                           {DNNL_ARG_DST, c}});
        read_memory(s, c, dst);
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

int relu(void *session_, int count, const float *src, float *dst)
{
    try {
        auto &s = *static_cast<session *>(session_);
        auto a = make_memory(s, 1, count, src);
        auto b = make_memory(s, 1, count, nullptr);
        dnnl::eltwise_forward(dnnl::eltwise_forward::primitive_desc(s.engine,
                                      dnnl::prop_kind::forward_inference,
                                      dnnl::algorithm::eltwise_relu,
                                      a.get_desc(), b.get_desc(), 0.0f, 0.0f))
                .execute(s.stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}});
        read_memory(s, b, dst);
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

} // namespace

const struct side *side_of_ours()
{
    static const struct side side =
            SIDE_OF(session_open, matmul, relu, session_close);
    return &side;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2's side, through its C++ interface. */
#include <oneapi/dnnl/dnnl.hpp>

#include "side_parts.h"

#include <exception>

namespace
{

struct session {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
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

/* A tensor of rows * columns in the caller's array. */
dnnl::memory make_memory(
        const session &s, int rows, int columns, const float *values)
{
    return {{{rows, columns}, dnnl::memory::data_type::f32,
                    dnnl::memory::format_tag::ab},
            s.engine, const_cast<float *>(values)};
}

int matmul(void *session_, int m, int k, int n, const float *src,
        const float *weights, float *dst)
{
    try {
        auto &s = *static_cast<session *>(session_);
        auto a = make_memory(s, m, k, src);
        auto b = make_memory(s, k, n, weights);
        auto c = make_memory(s, m, n, dst);
        const dnnl::matmul::desc desc(a.get_desc(), b.get_desc(), c.get_desc());
        dnnl::matmul(dnnl::matmul::primitive_desc(desc, s.engine))
                .execute(s.stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b},
                                           {DNNL_ARG_DST, c}});
        s.stream.wait();
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
        auto b = make_memory(s, 1, count, dst);
        const dnnl::eltwise_forward::desc desc(
                dnnl::prop_kind::forward_inference,
                dnnl::algorithm::eltwise_relu, a.get_desc(), 0.0f, 0.0f);
        dnnl::eltwise_forward(
                dnnl::eltwise_forward::primitive_desc(desc, s.engine))
                .execute(s.stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, b}});
        s.stream.wait();
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

} // namespace

const struct side *side_of_onednn()
{
    static const side all = SIDE_OF(session_open, matmul, relu, session_close);
    return &all;
}

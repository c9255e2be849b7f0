// SPDX-License-Identifier: Apache-2.0
// What this release refuses, and that ONEDNN_VERBOSE tells why.
#include "program.hpp"

#include <cstdlib>
#include <functional>
#include <string>

#include "dnnl_cache.h"

namespace
{

using dnnl::memory;
using tag = memory::format_tag;
using dt = memory::data_type;

std::string told; // the last line

void keep(dnnl_cache_log_level_t, const char *text, void *)
{
    told = text;
}

// Throws with this status, and the line of it ends so.
bool refuses(dnnl_status_t status, const char *kind, const char *reason,
        const std::function<void()> &make)
{
    told.clear();
    try {
        make();
    } catch (const dnnl::error &e) {
        const bool has_kind = told.find(kind) == 0;
        const bool has_reason =
                told.size() >= std::strlen(reason)
                && told.compare(told.size() - std::strlen(reason),
                           std::string::npos, reason)
                           == 0;
        std::printf("%s\n", told.c_str());
        return e.status == status && has_kind && has_reason;
    }
    std::fprintf(stderr, "not refused: %s\n", reason);
    return false;
}

bool refuses_bad_zero_points()
{
    dnnl::primitive_attr attr;
    try {
        attr.set_zero_points(DNNL_ARG_SRC, 0, {}, dt::f32);
    } catch (const dnnl::error &e) {
        return e.status == dnnl_invalid_arguments;
    }
    return false;
}

bool program()
{
    const dnnl::engine engine = program_engine();
    const dnnl::engine host(dnnl::engine::kind::cpu, 0);
    const memory::desc floats({4, 4}, dt::f32, tag::ab);
    const memory::desc bytes({4, 4}, dt::s8, tag::ab);
    const memory::desc integers({4, 4}, dt::s32, tag::ab);
    const memory::desc image({1, 4, 5, 5}, dt::u8, tag::nchw);
    const memory::desc filter({4, 4, 1, 1}, dt::s8, tag::oihw);
    const memory::desc dst({1, 4, 5, 5}, dt::f32, tag::nchw);
    dnnl::primitive_attr zero_point, per_element;
    zero_point.set_zero_points_mask(DNNL_ARG_WEIGHTS, 2);
    per_element.set_scales_mask(DNNL_ARG_SRC, 3);
    // The first descriptor compiles a probe.
    dnnl::matmul::primitive_desc(engine, floats, floats, floats);
    dnnl_cache_set_log_callback(keep, nullptr);
    const bool are_refused =
            refuses(dnnl_unimplemented, "primitive,create:dispatch,reorder,",
                    ",both engines are dnnl_cpu",
                    [&] {
                        dnnl::reorder::primitive_desc(
                                host, floats, host, floats);
                    })
            && refuses(dnnl_unimplemented, "primitive,create:dispatch,softmax,",
                    ",unsupported data types",
                    [&] {
                        dnnl::softmax_forward::primitive_desc(engine,
                                dnnl::prop_kind::forward_inference,
                                dnnl::algorithm::softmax_accurate, integers,
                                floats, 1);
                    })
            && refuses(dnnl_unimplemented,
                    "primitive,create:dispatch,convolution,",
                    ",more than one zero point for src or weights of a product",
                    [&] {
                        dnnl::convolution_forward::primitive_desc(engine,
                                dnnl::prop_kind::forward_inference,
                                dnnl::algorithm::convolution_direct, image,
                                filter, dst, {1, 1}, {0, 0}, {0, 0},
                                zero_point);
                    })
            && refuses(dnnl_unimplemented, "primitive,create:dispatch,matmul,",
                    ",unsupported mask of scales or zero points",
                    [&] {
                        dnnl::matmul::primitive_desc(
                                engine, bytes, bytes, floats, per_element);
                    })
            && refuses(dnnl_invalid_arguments, "primitive,create:check,matmul,",
                    ",inconsistent dimensions", [&] {
                        dnnl::matmul::primitive_desc(engine, floats,
                                memory::desc({3, 4}, dt::f32, tag::ab), floats);
                    });
    dnnl_cache_set_log_callback(nullptr, nullptr);
    return are_refused && refuses_bad_zero_points();
}

} // namespace

int main()
{
    setenv("ONEDNN_VERBOSE", "check,dispatch", 1);
    return run_program(program);
}

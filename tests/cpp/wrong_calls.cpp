// SPDX-License-Identifier: Apache-2.0
// Calls that no constructor takes: check_messages.py reads what compilers say.
#include "dnnl_cache.hpp"

void wrong_calls(const dnnl::engine &engine, const dnnl::memory::desc &md);
void wrong_calls(const dnnl::engine &engine, const dnnl::memory::desc &md)
{
    // No kind of propagation.
    dnnl::eltwise_forward::primitive_desc relu(
            engine, dnnl::algorithm::eltwise_relu, md, md);
    // No paddings.
    dnnl::convolution_forward::primitive_desc convolution(engine,
            dnnl::prop_kind::forward, dnnl::algorithm::convolution_direct, md,
            md, md, {1, 1});
}

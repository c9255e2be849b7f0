// SPDX-License-Identifier: Apache-2.0
// A program that was written for oneDNN, with the installed library.
#include "dnnl.hpp"
#include "oneapi/dnnl/dnnl_debug.h"
#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_ocl.hpp>

#include <cstdio>
#include <vector>

#if DNNL_GPU_RUNTIME != DNNL_RUNTIME_OCL
#error "this is another library"
#endif

namespace
{

// A relu of the first engine, if there is one.
bool relu_has_an_id()
{
    if (dnnl::engine::get_count(dnnl::engine::kind::gpu) == 0) return true;
    const dnnl::engine engine(dnnl::engine::kind::gpu, 0);
    const cl_device_id device = dnnl::ocl_interop::get_device(engine);
    if (dnnl::ocl_interop::get_engine_cache_blob_id(device).empty())
        return false;
#if DNNL_CACHE_PRIMITIVES
    const dnnl::memory::desc md(
            {4}, dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
    const dnnl::eltwise_forward::primitive_desc pd(engine,
            dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_relu,
            md, md, 0.0f);
    return !pd.get_cache_blob_id().empty();
#else
    return true;
#endif
}

} // namespace

int main()
{
    try {
        if (dnnl::version()->major != DNNL_VERSION_MAJOR) return 1;
        return relu_has_an_id() ? 0 : 1;
    } catch (const dnnl::error &e) {
        std::fprintf(stderr, "%s: %s\n", e.what(), dnnl_status2str(e.status));
        return 1;
    }
}

// SPDX-License-Identifier: Apache-2.0
// docs/how_to/keep_blobs_yourself.md's example in C++, run cold and warm.

/* Listing: begin */
#include <dnnl_cache.hpp>
#include <map>
#include <vector>

// Your store: blobs by their IDs.
std::map<std::vector<uint8_t>, std::vector<uint8_t>> store;

// Creates a primitive, such as dnnl::matmul, from the store, or compiles and
// stores it.
template <typename Primitive>
Primitive create(const typename Primitive::primitive_desc &pd)
{
    const std::vector<uint8_t> id = pd.get_cache_blob_id();
    const auto kept = store.find(id);
    if (kept != store.end()) {
        try {
            return Primitive(pd, kept->second);
        } catch (const dnnl::error &e) {
            // Damaged, of another driver ... (see e.status): compile.
            if (e.status == dnnl_cache_blob_unsupported)
                return Primitive(pd); // of a newer library: keep it
        }
    }
    const Primitive primitive(pd);
    const std::vector<uint8_t> blob = primitive.get_cache_blob();
    if (!blob.empty()) store[id] = blob; // empty: nothing to cache
    return primitive;
}
/* Listing: end */

#include "test_platform.h"

#include <cstdio>

// Does the example keep a primitive, and make it again when nothing may be
// compiled and nothing is in memory?
static bool works()
{
    dnnl::set_primitive_cache_capacity(0);
    for (int start = 0; start < 2; start++) {
        const dnnl::engine engine(test_platform_engine());
        const dnnl::memory::desc md({64}, dnnl::memory::data_type::f32,
                dnnl::memory::format_tag::a);
        const dnnl::eltwise_forward::primitive_desc pd(engine,
                dnnl::prop_kind::forward_inference,
                dnnl::algorithm::eltwise_relu, md, md, 0.0f);
        dnnl::error::wrap_c_api(
                dnnl_cache_engine_set_compile_mode(engine.get(),
                        start == 0 ? dnnl_cache_compile_mode_normal
                                   : dnnl_cache_compile_mode_cached_only),
                "setting the compile mode");
        create<dnnl::eltwise_forward>(pd);
    }
    return store.size() == 1;
}

int main()
{
    try {
        if (works()) return 0;
        std::fprintf(stderr, "it was not kept\n");
    } catch (const dnnl::error &e) {
        std::fprintf(stderr, "%s: %s\n", e.what(), dnnl_status2str(e.status));
    }
    return 1;
}

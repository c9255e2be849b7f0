/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.hpp: engines, their IDs and their blobs, as oneDNN has them.
 */
#ifndef DNNL_CACHE_ENGINE_HPP
#define DNNL_CACHE_ENGINE_HPP

#include "base.hpp"

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_engine_t>
    : detail::destroyed_by<dnnl_engine_t, dnnl_engine_destroy> {
};

/* ==== Engines ============================================================= */

/* An OpenCL device with a context, or the host's memory. */
struct engine : public handle<dnnl_engine_t> {
    /* dnnl_engine_kind_t with a scope. */
    enum class kind {
        any = ::dnnl_any_engine,
        cpu = ::dnnl_cpu,
        gpu = ::dnnl_gpu
    };

    using handle::handle;
    engine() = default;

    /* Engine number index (from 0) of a kind, with a context of its own. */
    engine(kind akind, size_t index)
    {
        reset(detail::made_by("could not create an engine", dnnl_engine_create,
                convert_to_c(akind), index));
    }

    /* Number of engines of a kind. Does not throw. */
    static size_t get_count(kind akind)
    {
        return dnnl_engine_get_count(convert_to_c(akind));
    }

    /* The kind of the object. */
    kind get_kind() const
    {
        return static_cast<kind>(
                detail::got_from("could not get the kind of an engine",
                        dnnl_engine_get_kind, get()));
    }

    /* The C enumerator of the same kind. */
    static dnnl_engine_kind_t convert_to_c(kind akind)
    {
        return static_cast<dnnl_engine_kind_t>(akind);
    }
};

/* The C enumerator of the same kind. */
inline dnnl_engine_kind_t convert_to_c(engine::kind akind)
{
    return engine::convert_to_c(akind);
}

namespace ocl_interop
{

/* The ID under which to keep the blobs of a device's engines; needs no engine.
 * Empty if there is nothing to cache. */
inline std::vector<uint8_t> get_engine_cache_blob_id(cl_device_id device)
{
    return detail::bytes_of(
            [device](size_t *size, uint8_t *bytes) {
                return dnnl_ocl_interop_engine_get_cache_blob_id(
                        device, size, bytes);
            },
            "could not get the cache blob ID of an engine");
}

/* The blob from which an engine of the same device is created again without
 * compiling. Empty if there is nothing to cache. */
inline std::vector<uint8_t> get_engine_cache_blob(const engine &aengine)
{
    dnnl_engine_t e = aengine.get();
    return detail::bytes_of(
            [e](size_t *size, uint8_t *bytes) {
                return dnnl_ocl_interop_engine_get_cache_blob(e, size, bytes);
            },
            "could not get the cache blob of an engine");
}

/* An engine, from a blob, of a device and a context that contains the device;
 * both are retained. An empty blob throws dnnl_invalid_arguments: check what a
 * store returns. */
inline engine make_engine(cl_device_id device, cl_context context,
        const std::vector<uint8_t> &cache_blob)
{
    return engine(
            detail::made_by("could not create an engine from a cache blob",
                    dnnl_ocl_interop_engine_create_from_cache_blob, device,
                    context, cache_blob.size(), cache_blob.data()));
}

/* The same without a blob. */
inline engine make_engine(cl_device_id device, cl_context context)
{
    return engine(detail::made_by(
            "could not create an engine of a device and a context",
            dnnl_ocl_interop_engine_create, device, context));
}

/* The engine's context and device: borrowed, not retained. */
inline cl_context get_context(const engine &aengine)
{
    return detail::got_from("could not get the context of an engine",
            dnnl_ocl_interop_engine_get_context, aengine.get());
}

/* The engine's device: borrowed, not retained. */
inline cl_device_id get_device(const engine &aengine)
{
    return detail::got_from("could not get the device of an engine",
            dnnl_ocl_interop_get_device, aengine.get());
}

} // namespace ocl_interop

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_ENGINE_HPP */

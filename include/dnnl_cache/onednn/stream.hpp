/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.hpp: streams, and what oneDNN measures with them.
 */
#ifndef DNNL_CACHE_ONEDNN_STREAM_HPP
#define DNNL_CACHE_ONEDNN_STREAM_HPP

#include "../engine.hpp"

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_stream_t>
    : detail::destroyed_by<dnnl_stream_t, dnnl_stream_destroy> {
};

/* ==== Streams ============================================================= */

/* A command queue of an engine's device. */
struct stream : public handle<dnnl_stream_t> {
    /* dnnl_stream_flags_t with a scope. */
    enum class flags : unsigned {
        in_order = ::dnnl_stream_in_order,
        out_of_order = ::dnnl_stream_out_of_order,
        default_flags = ::dnnl_stream_default_flags,
        profiling = ::dnnl_stream_profiling
    };

    using handle::handle;
    stream() = default;

    /* A stream with a queue of its own. */
    explicit stream(const engine &aengine, flags aflags = flags::default_flags)
    {
        reset(detail::made_by("could not create a stream", dnnl_stream_create,
                aengine.get(), static_cast<unsigned>(aflags)));
    }

    /* The engine: borrowed. */
    engine get_engine() const
    {
        return engine(detail::got_from("could not get the engine of a stream",
                              dnnl_stream_get_engine, get()),
                true);
    }

    /* Waits for all that was submitted. */
    stream &wait()
    {
        error::wrap_c_api(
                dnnl_stream_wait(get()), "could not wait for a stream");
        return *this;
    }
};

DNNL_CACHE_FLAG_OPERATORS(stream::flags)

#ifdef DNNL_EXPERIMENTAL_PROFILING
/* dnnl_profiling_data_kind_t with a scope. */
enum class profiling_data_kind {
    undef = ::dnnl_profiling_data_kind_undef,
    time = ::dnnl_profiling_data_kind_time
};

/* Forgets what was measured of a stream with the flag profiling. */
inline void reset_profiling(stream &astream)
{
    error::wrap_c_api(dnnl_reset_profiling(astream.get()),
            "could not reset the profile of a stream");
}

/* A number for each execution since: see dnnl_query_profiling_data(). */
inline std::vector<uint64_t> get_profiling_data(
        stream &astream, profiling_data_kind data_kind)
{
    const auto c_kind = static_cast<dnnl_profiling_data_kind_t>(data_kind);
    int count = 0;
    error::wrap_c_api(
            dnnl_query_profiling_data(astream.get(), c_kind, &count, nullptr),
            "could not get the profile of a stream");
    std::vector<uint64_t> data(static_cast<size_t>(count));
    error::wrap_c_api(dnnl_query_profiling_data(
                              astream.get(), c_kind, &count, data.data()),
            "could not get the profile of a stream");
    return data;
}
#endif

namespace ocl_interop
{

/* A stream on the application's queue, which is retained. */
inline stream make_stream(const engine &aengine, cl_command_queue queue)
{
    return stream(
            detail::made_by("could not create a stream on a command queue",
                    dnnl_ocl_interop_stream_create, aengine.get(), queue));
}

/* The stream's queue: borrowed, not retained. */
inline cl_command_queue get_command_queue(const stream &astream)
{
    return detail::got_from("could not get the command queue of a stream",
            dnnl_ocl_interop_stream_get_command_queue, astream.get());
}

} // namespace ocl_interop

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_ONEDNN_STREAM_HPP */

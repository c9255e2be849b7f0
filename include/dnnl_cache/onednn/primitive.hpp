/* SPDX-License-Identifier: Apache-2.0 */
/*
 * primitive.hpp: primitives of any kind, their blobs and how they run. They are
 * created from descriptors: kinds.hpp has those of each kind.
 */
#ifndef DNNL_CACHE_ONEDNN_PRIMITIVE_HPP
#define DNNL_CACHE_ONEDNN_PRIMITIVE_HPP

#include "memory.hpp"
#include "stream.hpp"

#include <unordered_map>

#if DNNL_CACHE_PRIMITIVES

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_primitive_t>
    : detail::destroyed_by<dnnl_primitive_t, dnnl_primitive_destroy> {
};

/* ==== Primitives ========================================================== */

struct primitive_desc;

/* A computation that is ready to run. Copies share it. It needs neither its
 * descriptor nor a blob any more. */
struct primitive : public handle<dnnl_primitive_t> {
    /* dnnl_primitive_kind_t with a scope. */
    enum class kind {
        undef = ::dnnl_undefined_primitive,
        reorder = ::dnnl_reorder,
        shuffle = ::dnnl_shuffle,
        concat = ::dnnl_concat,
        sum = ::dnnl_sum,
        convolution = ::dnnl_convolution,
        deconvolution = ::dnnl_deconvolution,
        eltwise = ::dnnl_eltwise,
        lrn = ::dnnl_lrn,
        batch_normalization = ::dnnl_batch_normalization,
        inner_product = ::dnnl_inner_product,
        rnn = ::dnnl_rnn,
        gemm = ::dnnl_gemm,
        binary = ::dnnl_binary,
        matmul = ::dnnl_matmul,
        resampling = ::dnnl_resampling,
        pooling = ::dnnl_pooling,
        reduction = ::dnnl_reduction,
        prelu = ::dnnl_prelu,
        softmax = ::dnnl_softmax,
        layer_normalization = ::dnnl_layer_normalization,
        group_normalization = ::dnnl_group_normalization,
    };

    /* What the bytes of get_binaries() contain. */
    enum class binary_kind {
        kernel = 0 /* kernels as the driver compiled them */
    };

    using handle::handle;
    primitive() = default;

    /* From memory, an attached store or the compiler. Here and below, the
     * descriptor stays the caller's. */
    primitive(const_dnnl_primitive_desc_t pd)
    {
        reset(detail::made_by(
                "could not create a primitive", dnnl_primitive_create, pd));
    }
    inline primitive(const primitive_desc &pd);

    /* From a blob of a primitive with exactly this descriptor; compiles
     * nothing. An empty blob throws dnnl_invalid_arguments: check what a store
     * returns. */
    primitive(const_dnnl_primitive_desc_t pd,
            const std::vector<uint8_t> &cache_blob)
    {
        reset(detail::made_by("could not create a primitive from a cache blob",
                dnnl_primitive_create_from_cache_blob, pd, cache_blob.size(),
                cache_blob.data()));
    }
    inline primitive(
            const primitive_desc &pd, const std::vector<uint8_t> &cache_blob);

    /* The same from get_binaries(). Throws dnnl_unimplemented for a kind that
     * is not in binary_kind, and dnnl_invalid_arguments for a list that
     * get_binaries() did not return. */
    primitive(const_dnnl_primitive_desc_t pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind)
        : primitive(pd, one_of(binaries, akind))
    {
    }
    inline primitive(const primitive_desc &pd,
            const std::vector<std::vector<uint8_t>> &binaries,
            binary_kind akind);

    /* The descriptor: the primitive's own. */
    const_dnnl_primitive_desc_t get_primitive_desc() const
    {
        return detail::got_from("could not get the descriptor of a primitive",
                dnnl_primitive_get_primitive_desc, get());
    }

    /* The kind of the primitive. */
    kind get_kind() const
    {
        return static_cast<kind>(detail::got_from<dnnl_primitive_kind_t>(
                "could not get the kind of a primitive",
                dnnl_primitive_desc_query, get_primitive_desc(),
                dnnl_query_primitive_kind, 0));
    }

    /* The blob from which an equal descriptor creates this primitive again.
     * Keep it under its get_cache_blob_id(). Empty if there is nothing to
     * cache. */
    std::vector<uint8_t> get_cache_blob() const
    {
        dnnl_primitive_t p = get();
        return detail::bytes_of(
                [p](size_t *size, uint8_t *bytes) {
                    return dnnl_primitive_get_cache_blob(p, size, bytes);
                },
                "could not get the cache blob of a primitive");
    }

    /* The same as a list of binaries. It is empty if there is nothing to cache,
     * and for primitives without blobs (of a CPU engine). This release puts all
     * kernels of a primitive into one binary. Throws dnnl_unimplemented for a
     * kind that is not in binary_kind. */
    std::vector<std::vector<uint8_t>> get_binaries(binary_kind akind) const
    {
        check_binary_kind(akind);
        std::vector<std::vector<uint8_t>> binaries;
        size_t size = 0;
        if (dnnl_primitive_get_cache_blob(get(), &size, nullptr)
                == dnnl_unimplemented)
            return binaries;
        std::vector<uint8_t> blob = get_cache_blob();
        if (!blob.empty()) binaries.push_back(std::move(blob));
        return binaries;
    }

    /* Submits the computation. args has every input and output of the
     * descriptor, by DNNL_ARG_*; empty ones count as absent. They must stay
     * alive until the work is done. */
    void execute(const stream &astream,
            const std::unordered_map<int, memory> &args) const
    {
        std::vector<dnnl_exec_arg_t> c_args = to_c(args);
        error::wrap_c_api(
                dnnl_primitive_execute(get(), astream.get(),
                        static_cast<int>(c_args.size()), c_args.data()),
                "could not execute a primitive");
    }

    /* Arguments in the form of the C interface; borrowed. */
    static std::vector<dnnl_exec_arg_t> to_c(
            const std::unordered_map<int, memory> &args)
    {
        std::vector<dnnl_exec_arg_t> c_args;
        c_args.reserve(args.size());
        for (const auto &arg : args) {
            dnnl_exec_arg_t c_arg = {arg.first, arg.second.get(true)};
            c_args.push_back(c_arg);
        }
        return c_args;
    }

  private:
    static void check_binary_kind(binary_kind akind)
    {
        if (akind != binary_kind::kernel)
            DNNL_THROW_ERROR(
                    dnnl_unimplemented, "there are binaries of kernels only");
    }

    /* The one blob of a list. */
    static const std::vector<uint8_t> &
    one_of(const std::vector<std::vector<uint8_t>> &binaries, binary_kind akind)
    {
        check_binary_kind(akind);
        if (binaries.size() != 1)
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "a primitive has one binary, not several or none");
        return binaries.front();
    }
};

DNNL_CACHE_CONVERT(primitive::kind, dnnl_primitive_kind_t)

/* ==== The primitive cache ================================================= */

/* The number of primitives kept in memory, for the whole process; see
 * dnnl_set_primitive_cache_capacity(). */
inline int get_primitive_cache_capacity()
{
    return detail::made_by("could not get the primitive cache's capacity",
            dnnl_get_primitive_cache_capacity);
}

/* Sets that number: see dnnl_set_primitive_cache_capacity(). */
inline void set_primitive_cache_capacity(int capacity)
{
    error::wrap_c_api(dnnl_set_primitive_cache_capacity(capacity),
            "could not set the primitive cache's capacity");
}

namespace ocl_interop
{

/* As primitive::execute(), after the given events. Returns an event of its end,
 * which the caller releases; null on an in-order stream. */
inline cl_event execute(const primitive &aprimitive, const stream &astream,
        const std::unordered_map<int, memory> &args,
        const std::vector<cl_event> &deps = std::vector<cl_event>())
{
    std::vector<dnnl_exec_arg_t> c_args = primitive::to_c(args);
    return detail::got_from<cl_event>("could not execute a primitive",
            dnnl_ocl_interop_primitive_execute, aprimitive.get(), astream.get(),
            static_cast<int>(c_args.size()), c_args.data(),
            deps.empty() ? nullptr : deps.data(),
            static_cast<int>(deps.size()));
}

} // namespace ocl_interop

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PRIMITIVES */

#endif /* DNNL_CACHE_ONEDNN_PRIMITIVE_HPP */

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.hpp: tensors and their descriptors.
 */
#ifndef DNNL_CACHE_ONEDNN_MEMORY_HPP
#define DNNL_CACHE_ONEDNN_MEMORY_HPP

#include "../engine.hpp"

namespace dnnl
{
inline namespace dnnlc_0_1
{

template <>
struct handle_traits<dnnl_memory_desc_t>
    : detail::destroyed_by<dnnl_memory_desc_t, dnnl_memory_desc_destroy> {
};

template <>
struct handle_traits<dnnl_memory_t>
    : detail::destroyed_by<dnnl_memory_t, dnnl_memory_destroy> {
};

/* ==== Memory ============================================================== */

/* dnnl_query_t with a scope. */
enum class query {
    undef = ::dnnl_query_undef,
    engine = ::dnnl_query_engine,
    primitive_kind = ::dnnl_query_primitive_kind,
    num_of_inputs_s32 = ::dnnl_query_num_of_inputs_s32,
    num_of_outputs_s32 = ::dnnl_query_num_of_outputs_s32,
    time_estimate_f64 = ::dnnl_query_time_estimate_f64,
    memory_consumption_s64 = ::dnnl_query_memory_consumption_s64,
    scratchpad_engine = ::dnnl_query_scratchpad_engine,
    impl_info_str = ::dnnl_query_impl_info_str,
    reorder_src_engine = ::dnnl_query_reorder_src_engine,
    reorder_dst_engine = ::dnnl_query_reorder_dst_engine,
    prop_kind = ::dnnl_query_prop_kind,
    cache_blob_id_size_s64 = ::dnnl_query_cache_blob_id_size_s64,
    cache_blob_id = ::dnnl_query_cache_blob_id,
    strides = ::dnnl_query_strides,
    dilations = ::dnnl_query_dilations,
    padding_l = ::dnnl_query_padding_l,
    padding_r = ::dnnl_query_padding_r,
    epsilon_f32 = ::dnnl_query_epsilon_f32,
    flags = ::dnnl_query_flags,
    alg_kind = ::dnnl_query_alg_kind,
    alpha_f32 = ::dnnl_query_alpha_f32,
    beta_f32 = ::dnnl_query_beta_f32,
    axis_s32 = ::dnnl_query_axis_s32,
    local_size_s64 = ::dnnl_query_local_size_s64,
    k_f32 = ::dnnl_query_k_f32,
    p_f32 = ::dnnl_query_p_f32,
    factors = ::dnnl_query_factors,
    cell_kind = ::dnnl_query_cell_kind,
    direction = ::dnnl_query_direction,
    activation_kind = ::dnnl_query_activation_kind,
    kernel = ::dnnl_query_kernel,
    group_size_s64 = ::dnnl_query_group_size_s64,
    some_md = ::dnnl_query_some_md,
    src_md = ::dnnl_query_src_md,
    diff_src_md = ::dnnl_query_diff_src_md,
    weights_md = ::dnnl_query_weights_md,
    diff_weights_md = ::dnnl_query_diff_weights_md,
    dst_md = ::dnnl_query_dst_md,
    diff_dst_md = ::dnnl_query_diff_dst_md,
    workspace_md = ::dnnl_query_workspace_md,
    scratchpad_md = ::dnnl_query_scratchpad_md,
    exec_arg_md = ::dnnl_query_exec_arg_md,
    ndims_s32 = ::dnnl_query_ndims_s32,
    dims = ::dnnl_query_dims,
    data_type = ::dnnl_query_data_type,
    submemory_offset_s64 = ::dnnl_query_submemory_offset_s64,
    padded_dims = ::dnnl_query_padded_dims,
    padded_offsets = ::dnnl_query_padded_offsets,
    format_kind = ::dnnl_query_format_kind,
    inner_nblks_s32 = ::dnnl_query_inner_nblks_s32,
    inner_blks = ::dnnl_query_inner_blks,
    inner_idxs = ::dnnl_query_inner_idxs,
    sparse_encoding = ::dnnl_query_sparse_encoding,
    nnz_s64 = ::dnnl_query_nnz_s64,
    num_handles_s32 = ::dnnl_query_num_handles_s32,
};

DNNL_CACHE_CONVERT(query, dnnl_query_t)

/* A tensor on an engine: a description and a buffer. */
struct memory : public handle<dnnl_memory_t> {
    /* A dimension, stride or offset, in elements. */
    typedef dnnl_dim_t dim;
    /* Dimensions, strides and the like: one number per dimension. */
    typedef std::vector<dim> dims;

    /* dnnl_data_type_t with a scope. */
    enum class data_type {
        undef = ::dnnl_data_type_undef,
        f16 = ::dnnl_f16,
        bf16 = ::dnnl_bf16,
        f32 = ::dnnl_f32,
        s32 = ::dnnl_s32,
        s8 = ::dnnl_s8,
        u8 = ::dnnl_u8,
        f64 = ::dnnl_f64,
        boolean = ::dnnl_boolean,
        f8_e5m2 = ::dnnl_f8_e5m2,
        f8_e4m3 = ::dnnl_f8_e4m3,
        s4 = ::dnnl_s4,
        u4 = ::dnnl_u4,
        e8m0 = ::dnnl_e8m0,
        f4_e2m1 = ::dnnl_f4_e2m1,
        f4_e3m0 = ::dnnl_f4_e3m0,
        s64 = ::dnnl_s64,
    };

    /* dnnl_format_kind_t with a scope. */
    enum class format_kind {
        undef = ::dnnl_format_kind_undef,
        any = ::dnnl_format_kind_any,
        blocked = ::dnnl_blocked,
        opaque = ::dnnl_format_kind_opaque,
        sparse = ::dnnl_format_kind_sparse,
        host_scalar = ::dnnl_format_kind_host_scalar,
    };

    /* dnnl_sparse_encoding_t with a scope. */
    enum class sparse_encoding {
        undef = ::dnnl_sparse_encoding_undef,
        csr = ::dnnl_csr,
        packed = ::dnnl_packed,
        coo = ::dnnl_coo,
#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        grouped = ::dnnl_grouped,
#endif
    };

    /* Orders of dimensions, outermost first; see dnnl_format_tag_t. */
    enum class format_tag {
        undef = ::dnnl_format_tag_undef,
        any = ::dnnl_format_tag_any,
    /* clang-format off */
#define DNNL_CACHE_TAG(name) name = ::dnnl_##name,
#define DNNL_CACHE_ALIAS(name, tag) name = ::dnnl_##name,
        DNNL_CACHE_FORMAT_TAGS(DNNL_CACHE_TAG)
        format_tag_last = ::dnnl_format_tag_last,
        DNNL_CACHE_FORMAT_TAG_ALIASES(DNNL_CACHE_ALIAS)
#undef DNNL_CACHE_TAG
#undef DNNL_CACHE_ALIAS
        /* clang-format on */
    };

    /* Throws dnnl_invalid_arguments if there are more dimensions than a tensor
     * can have, or fewer than min_size. */
    template <typename T>
    static void validate_dims(const std::vector<T> &v, int min_size = 0)
    {
        if (v.size() > DNNL_MAX_NDIMS
                || (min_size > 0 && v.size() < static_cast<size_t>(min_size)))
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "there are too many dimensions, or too few");
    }

    /* Bytes of an element. */
    static size_t data_type_size(data_type adata_type)
    {
        return dnnl_data_type_size(convert_to_c(adata_type));
    }

    /* The C enumerator of the same type. */
    static dnnl_data_type_t convert_to_c(data_type adata_type)
    {
        return static_cast<dnnl_data_type_t>(adata_type);
    }

    /* The C enumerator of the same tag. */
    static dnnl_format_tag_t convert_to_c(format_tag atag)
    {
        return static_cast<dnnl_format_tag_t>(atag);
    }

    /*
     * Shape, data type and layout of a tensor. Immutable, so copies may share.
     * Getters of an empty handle throw. A default-constructed descriptor is not
     * an empty handle: it describes a tensor without dimensions.
     */
    struct desc : public handle<dnnl_memory_desc_t> {
        /* A tensor without dimensions. */
        desc()
        {
            reset(detail::made_by("could not create a memory descriptor",
                    dnnl_memory_desc_create_with_tag, 0, nullptr,
                    dnnl_data_type_undef, dnnl_format_tag_undef));
        }

        using handle::handle;

        /* Takes ownership of a C descriptor, as every handle does; implicit, as
         * in oneDNN. */
        desc(dnnl_memory_desc_t md) : handle(md) {}

        /* A layout by its tag. With allow_empty a failure gives an empty handle
         * instead of an error, except if there are too many dimensions. */
        desc(const dims &adims, data_type adata_type, format_tag atag,
                bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_create_with_tag(&made,
                    static_cast<int>(adims.size()), adims.data(),
                    convert_to_c(adata_type), convert_to_c(atag));
            if (!allow_empty)
                error::wrap_c_api(
                        st, "could not create a memory descriptor with a tag");
            reset(made);
        }

        /* Strides in elements, one per dimension, or none: dense. allow_empty
         * as above. */
        desc(const dims &adims, data_type adata_type, const dims &strides,
                bool allow_empty = false)
        {
            validate_dims(adims);
            if (!strides.empty())
                validate_dims(strides, static_cast<int>(adims.size()));
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_create_with_strides(&made,
                    static_cast<int>(adims.size()), adims.data(),
                    convert_to_c(adata_type),
                    strides.empty() ? nullptr : strides.data());
            if (!allow_empty)
                error::wrap_c_api(st,
                        "could not create a memory descriptor with strides");
            reset(made);
        }

        /* From the bytes of get_blob(). Also throws dnnl_invalid_arguments
         * (another number of bytes), dnnl_cache_blob_corrupt and
         * dnnl_cache_blob_unsupported. */
        desc(const std::vector<uint8_t> &blob)
        {
            /* The C call takes no size. */
            if (blob.size() != DNNL_CACHE_MEMORY_DESC_BLOB_SIZE)
                DNNL_THROW_ERROR(dnnl_invalid_arguments,
                        "a memory descriptor's blob has another size");
            reset(detail::made_by(
                    "could not create a memory descriptor from a blob",
                    dnnl_memory_desc_create_with_blob, blob.data()));
        }

        /* Sparse tensors are not supported: throws dnnl_unimplemented, or gives
         * an empty handle with allow_empty. */
        static desc csr(const dims &adims, data_type adata_type, dim nnz,
                data_type index_dt, data_type pointer_dt,
                bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(
                    dnnl_memory_desc_create_with_csr_encoding(&made,
                            static_cast<int>(adims.size()), adims.data(),
                            convert_to_c(adata_type), nnz,
                            convert_to_c(index_dt), convert_to_c(pointer_dt)),
                    made, allow_empty);
        }
        static desc coo(const dims &adims, data_type adata_type, dim nnz,
                data_type index_dt, bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(dnnl_memory_desc_create_with_coo_encoding(&made,
                                  static_cast<int>(adims.size()), adims.data(),
                                  convert_to_c(adata_type), nnz,
                                  convert_to_c(index_dt)),
                    made, allow_empty);
        }
        static desc packed(const dims &adims, data_type adata_type, dim nnz,
                bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(dnnl_memory_desc_create_with_packed_encoding(&made,
                                  static_cast<int>(adims.size()), adims.data(),
                                  convert_to_c(adata_type), nnz),
                    made, allow_empty);
        }

#if DNNL_EXPERIMENTAL_GROUPED_MEMORY
        static desc grouped(const dims &adims, data_type adata_type,
                int variable_dim_idx, dim group_count,
                data_type offsets_dt = data_type::s32, bool allow_empty = false)
        {
            validate_dims(adims);
            dnnl_memory_desc_t made = nullptr;
            return sparse(dnnl_memory_desc_create_with_grouped_encoding(&made,
                                  static_cast<int>(adims.size()), adims.data(),
                                  convert_to_c(adata_type), variable_dim_idx,
                                  group_count, convert_to_c(offsets_dt)),
                    made, allow_empty);
        }
#endif

        /* One number on the host: see dnnl_memory_desc_create_host_scalar().
         */
        static desc host_scalar(data_type adata_type)
        {
            return desc(
                    detail::made_by("could not describe a number on the host",
                            dnnl_memory_desc_create_host_scalar,
                            convert_to_c(adata_type)));
        }

        /* A part of this tensor: in each dimension adims elements, beginning at
         * offsets. allow_empty as above. */
        desc submemory_desc(const dims &adims, const dims &offsets,
                bool allow_empty = false) const
        {
            validate_dims(adims, get_ndims());
            validate_dims(offsets, get_ndims());
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_create_submemory(
                    &made, get(), adims.data(), offsets.data());
            if (!allow_empty)
                error::wrap_c_api(st, "could not describe a part of a tensor");
            return desc(made);
        }

        /* The same elements with other dimensions. allow_empty as above. */
        desc reshape(const dims &adims, bool allow_empty = false) const
        {
            if (get_ndims() > 0) validate_dims(adims, 1);
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_reshape(
                    &made, get(), static_cast<int>(adims.size()), adims.data());
            if (!allow_empty)
                error::wrap_c_api(st, "could not reshape a memory descriptor");
            return desc(made);
        }

        /* The same tensor; dimension d becomes dimension permutation[d].
         * allow_empty as above. */
        desc permute_axes(const std::vector<int> &permutation,
                bool allow_empty = false) const
        {
            validate_dims(permutation, get_ndims());
            dnnl_memory_desc_t made = nullptr;
            dnnl_status_t st = dnnl_memory_desc_permute_axes(
                    &made, get(), permutation.data());
            if (!allow_empty)
                error::wrap_c_api(st,
                        "could not permute the axes of a memory descriptor");
            return desc(made);
        }

        /* The descriptor as bytes. */
        std::vector<uint8_t> get_blob() const
        {
            dnnl_memory_desc_t md = get();
            return detail::bytes_of(
                    [md](size_t *size, uint8_t *bytes) {
                        return dnnl_memory_desc_get_blob(bytes, size, md);
                    },
                    "could not get the blob of a memory descriptor");
        }

        /* The number of dimensions. */
        int get_ndims() const
        {
            return ask<int>(query::ndims_s32, 0);
        }
        /* The data type of a buffer; only buffer 0 exists. */
        data_type get_data_type(int index = 0) const
        {
            if (index != 0) return data_type::undef;
            return static_cast<data_type>(
                    ask(query::data_type, dnnl_data_type_undef));
        }
        format_kind get_format_kind() const
        {
            return static_cast<format_kind>(
                    ask(query::format_kind, dnnl_format_kind_undef));
        }
        /* Sparse tensors are not supported: undef and 0. */
        sparse_encoding get_sparse_encoding() const
        {
            return static_cast<sparse_encoding>(
                    ask(query::sparse_encoding, dnnl_sparse_encoding_undef));
        }
        dim get_nnz() const
        {
            return ask<dim>(query::nnz_s64, 0);
        }
        /* The number of buffers: one. */
        int get_num_handles() const
        {
            return ask<int>(query::num_handles_s32, 0);
        }
        dim get_submemory_offset() const
        {
            return ask<dim>(query::submemory_offset_s64, 0);
        }
        dims get_dims() const
        {
            return ask_dims(query::dims, get_ndims());
        }
        dims get_padded_dims() const
        {
            return ask_dims(query::padded_dims, get_ndims());
        }
        dims get_padded_offsets() const
        {
            return ask_dims(query::padded_offsets, get_ndims());
        }
        /* This and the following: empty for layouts without them (any, undef).
         */
        dims get_strides() const
        {
            return ask_dims(query::strides, get_ndims());
        }
        int get_inner_nblks() const
        {
            return ask<int>(query::inner_nblks_s32, 0);
        }
        dims get_inner_blks() const
        {
            return ask_dims(query::inner_blks, get_inner_nblks());
        }
        dims get_inner_idxs() const
        {
            return ask_dims(query::inner_idxs, get_inner_nblks());
        }

        /* Bytes from the first element to the end of the last; 0 if there are
         * none, or if the layout is any. */
        size_t get_size(int index = 0) const
        {
            return dnnl_memory_desc_get_size_v2(get(), index);
        }

        /* Has it no dimensions? */
        bool is_zero() const
        {
            return get_ndims() == 0;
        }

        /* Do both describe the same tensor? An empty handle equals only another
         * empty one. */
        bool operator==(const desc &other) const
        {
            return dnnl_memory_desc_equal(get(true), other.get(true)) != 0;
        }
        bool operator!=(const desc &other) const
        {
            return !(*this == other);
        }

      private:
        template <typename T> T ask(query what, T otherwise) const
        {
            T answer = otherwise;
            dnnl_status_t st = dnnl_memory_desc_query_v2(
                    get(), dnnl::convert_to_c(what), 0, &answer);
            return st == dnnl_success ? answer : otherwise;
        }

        static desc sparse(
                dnnl_status_t st, dnnl_memory_desc_t made, bool allow_empty)
        {
            if (!allow_empty)
                error::wrap_c_api(st, "could not describe a sparse tensor");
            return desc(made);
        }

        dims ask_dims(query what, int count) const
        {
            const dnnl_dims_t *answer = ask<const dnnl_dims_t *>(what, nullptr);
            if (answer == nullptr) return dims();
            return dims(*answer, *answer + count);
        }
    };

    using handle::handle;
    memory() = default;

    /* A tensor with a buffer of the library (DNNL_MEMORY_ALLOCATE), with none
     * (DNNL_MEMORY_NONE) or with one of the application: a cl_mem, which is
     * retained, or a host pointer, which must outlive this object. */
    memory(const desc &md, const engine &aengine,
            void *ahandle = DNNL_MEMORY_ALLOCATE)
    {
        reset(detail::made_by("could not create a memory object",
                dnnl_memory_create, md.get(), aengine.get(), ahandle));
    }

    /* The same with a list of handles, one per buffer: exactly one. */
    memory(const desc &md, const engine &aengine, std::vector<void *> handles)
    {
        reset(detail::made_by("could not create a memory object",
                dnnl_memory_create_v2, md.get(), aengine.get(),
                static_cast<int>(handles.size()), handles.data()));
    }

    /* A copy of a number on the host, of the descriptor's type: see
     * dnnl_memory_create_host_scalar(). Throws dnnl_invalid_arguments if T has
     * another size. */
    template <typename T> memory(const desc &md, const T value)
    {
        check_scalar_size(md, sizeof(T));
        T copy = value;
        reset(detail::made_by("could not create a memory object",
                dnnl_memory_create_host_scalar, md.get(),
                static_cast<void *>(&copy)));
    }

    /* Reads or replaces that number. Throw dnnl_invalid_arguments if T has
     * another size. */
    template <typename T> T get_host_scalar_value() const
    {
        T value;
        check_scalar_size(get_desc(), sizeof(T));
        error::wrap_c_api(dnnl_memory_get_host_scalar_value(get(), &value),
                "could not get a number on the host");
        return value;
    }
    template <typename T> void set_host_scalar_value(const T value) const
    {
        check_scalar_size(get_desc(), sizeof(T));
        error::wrap_c_api(dnnl_memory_set_host_scalar_value(get(), &value),
                "could not set a number on the host");
    }

    /* A copy of the descriptor. */
    desc get_desc() const
    {
        const auto borrowed = detail::got_from(
                "could not get the descriptor of a memory object",
                dnnl_memory_get_memory_desc, get());
        return desc(detail::made_by("could not copy a memory descriptor",
                dnnl_memory_desc_clone, borrowed));
    }

    /* The engine: borrowed. */
    engine get_engine() const
    {
        return engine(
                detail::got_from("could not get the engine of a memory object",
                        dnnl_memory_get_engine, get()),
                true);
    }

    /* The cl_mem or the host pointer: borrowed; null if there is none. Here and
     * below, index must be 0: there is one buffer. */
    void *get_data_handle(int index = 0) const
    {
        void *borrowed = nullptr;
        error::wrap_c_api(
                dnnl_memory_get_data_handle_v2(get(), &borrowed, index),
                "could not get the buffer of a memory object");
        return borrowed;
    }

    /* Replaces the buffer by one of the application: a cl_mem, which is
     * retained, or a host pointer, which must outlive this object; null: none.
     */
    void set_data_handle(void *ahandle, int index = 0) const
    {
        error::wrap_c_api(dnnl_memory_set_data_handle_v2(get(), ahandle, index),
                "could not set the buffer of a memory object");
    }

    /* Maps the buffer for reading and writing on the host, until unmap_data();
     * null if there is no buffer. Wait for streams first. */
    template <typename T = void> T *map_data(int index = 0) const
    {
        void *mapped = nullptr;
        error::wrap_c_api(dnnl_memory_map_data_v2(get(), &mapped, index),
                "could not map a memory object");
        return static_cast<T *>(mapped);
    }

    /* Ends a mapping: each map_data() once. */
    void unmap_data(void *mapped, int index = 0) const
    {
        error::wrap_c_api(dnnl_memory_unmap_data_v2(get(), mapped, index),
                "could not unmap a memory object");
    }

  private:
    static void check_scalar_size(const desc &md, size_t size)
    {
        if (size != md.get_size())
            DNNL_THROW_ERROR(dnnl_invalid_arguments,
                    "a number has another size than its type");
    }
};

/* The C enumerator of the same type. */
inline dnnl_data_type_t convert_to_c(memory::data_type adata_type)
{
    return memory::convert_to_c(adata_type);
}

/* The C enumerator of the same tag. */
inline dnnl_format_tag_t convert_to_c(memory::format_tag atag)
{
    return memory::convert_to_c(atag);
}

/* C++ and C enumerators compare. */
#define DNNL_CACHE_COMPARISONS(cpp, c)       \
    inline bool operator==(cpp a, c b)       \
    {                                        \
        return memory::convert_to_c(a) == b; \
    }                                        \
    inline bool operator!=(cpp a, c b)       \
    {                                        \
        return !(a == b);                    \
    }                                        \
    inline bool operator==(c a, cpp b)       \
    {                                        \
        return b == a;                       \
    }                                        \
    inline bool operator!=(c a, cpp b)       \
    {                                        \
        return !(b == a);                    \
    }
DNNL_CACHE_COMPARISONS(memory::data_type, dnnl_data_type_t)
DNNL_CACHE_COMPARISONS(memory::format_tag, dnnl_format_tag_t)
#undef DNNL_CACHE_COMPARISONS

namespace ocl_interop
{

/* How the library accesses a buffer: as dnnl_ocl_interop_memory_kind_t. */
enum class memory_kind {
    usm = ::dnnl_ocl_interop_usm, /* none exists here: dnnl_unimplemented */
    buffer = ::dnnl_ocl_interop_buffer
};

DNNL_CACHE_CONVERT(memory_kind, dnnl_ocl_interop_memory_kind_t)

/* A tensor in a buffer of the library, in none, or in a cl_mem, which is
 * retained. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        memory_kind akind, void *ahandle = DNNL_MEMORY_ALLOCATE)
{
    return memory(detail::made_by("could not create a memory object",
            dnnl_ocl_interop_memory_create, md.get(), aengine.get(),
            convert_to_c(akind), ahandle));
}

/* The same with a list of handles, one per buffer: exactly one. An empty list:
 * a buffer of the library. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        memory_kind akind, std::vector<void *> handles)
{
    if (handles.empty()) handles.push_back(DNNL_MEMORY_ALLOCATE);
    return memory(detail::made_by("could not create a memory object",
            dnnl_ocl_interop_memory_create_v2, md.get(), aengine.get(),
            convert_to_c(akind), static_cast<int>(handles.size()),
            handles.data()));
}

/* A memory on buffers of the application, which are retained. */
inline memory make_memory(
        const memory::desc &md, const engine &aengine, cl_mem mem_object)
{
    return make_memory(md, aengine, memory_kind::buffer, mem_object);
}

/* The same for several buffers, of which only one exists here. */
inline memory make_memory(const memory::desc &md, const engine &aengine,
        std::vector<cl_mem> mem_objects)
{
    return make_memory(md, aengine, memory_kind::buffer,
            std::vector<void *>(mem_objects.begin(), mem_objects.end()));
}

/* How the library accesses the buffer of a memory. */
inline memory_kind get_memory_kind(const memory &amemory)
{
    return static_cast<memory_kind>(
            detail::got_from("could not get the kind of a memory object",
                    dnnl_ocl_interop_memory_get_memory_kind, amemory.get()));
}

/* The buffer: borrowed, not retained; null if there is none. */
inline cl_mem get_mem_object(const memory &amemory, int index = 0)
{
    cl_mem mem_object = nullptr;
    error::wrap_c_api(dnnl_ocl_interop_memory_get_mem_object_v2(
                              amemory.get(), &mem_object, index),
            "could not get the buffer of a memory object");
    return mem_object;
}

/* Replaces the buffer, for all copies of amemory; the new one is retained. */
inline void set_mem_object(memory &amemory, cl_mem mem_object, int index = 0)
{
    error::wrap_c_api(dnnl_ocl_interop_memory_set_mem_object_v2(
                              amemory.get(), mem_object, index),
            "could not set the buffer of a memory object");
}

} // namespace ocl_interop

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_ONEDNN_MEMORY_HPP */

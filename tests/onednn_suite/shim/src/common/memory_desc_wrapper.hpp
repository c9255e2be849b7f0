/* SPDX-License-Identifier: Apache-2.0 */
/* Where a tensor's elements lie, by queries of its descriptor. */
#ifndef ONEDNN_SUITE_MEMORY_DESC_WRAPPER_HPP
#define ONEDNN_SUITE_MEMORY_DESC_WRAPPER_HPP

#include "nstl.hpp"

#include "oneapi/dnnl/dnnl.h"

#include <cstring>

/* Two tests write into a descriptor. */
extern "C" {
#include "src/gpu/memory/memory_desc.h"
}

namespace dnnl
{
namespace impl
{

/* Named by a test that applies to CPU engines only. */
namespace memory_extra_flags
{
constexpr int none = 0;
}
struct memory_desc_t : dnnl_memory_desc {
    dnnl_dim_t offset0;
    dnnl_dims_t padded_offsets;
    struct {
        int flags;
    } extra;
    struct {
        struct {
            int inner_nblks;
            dnnl_dims_t inner_blks, inner_idxs, strides;
        } blocking;
    } format_desc;
};

class memory_desc_wrapper
{
  public:
    memory_desc_wrapper(const_dnnl_memory_desc_t md)
    {
        query(md, dnnl_query_ndims_s32, &ndims_);
        query(md, dnnl_query_submemory_offset_s64, &start_);
        query(md, dnnl_query_inner_nblks_s32, &blocks_);
        copy(md, dnnl_query_dims, dims_, ndims_);
        copy(md, dnnl_query_padded_dims, padded_dims_, ndims_);
        copy(md, dnnl_query_strides, strides_, ndims_);
        copy(md, dnnl_query_inner_blks, inner_blks_, blocks_);
        copy(md, dnnl_query_inner_idxs, inner_idxs_, blocks_);
    }

    const dnnl_dim_t *dims() const { return dims_; }
    const dnnl_dim_t *padded_dims() const { return padded_dims_; }

    bool has_zero_dim() const
    {
        for (int d = 0; d < ndims_; d++)
            if (dims_[d] == 0) return true;
        return false;
    }

    /* The place of the l-th element in the order of dimensions. */
    dnnl_dim_t off_l(dnnl_dim_t l, bool is_padded = false) const
    {
        dnnl_dims_t position = {};
        for (int d = ndims_ - 1; d >= 0; d--) {
            dnnl_dim_t size = is_padded ? padded_dims_[d] : dims_[d];
            position[d] = l % size;
            l /= size;
        }
        dnnl_dim_t place = start_, step = 1;
        for (int i = blocks_ - 1; i >= 0; i--) {
            dnnl_dim_t &along = position[inner_idxs_[i]];
            place += along % inner_blks_[i] * step;
            along /= inner_blks_[i];
            step *= inner_blks_[i];
        }
        for (int d = 0; d < ndims_; d++)
            place += position[d] * strides_[d];
        return place;
    }

  private:
    int ndims_ = 0, blocks_ = 0;
    dnnl_dim_t start_ = 0;
    dnnl_dims_t dims_ = {}, padded_dims_ = {}, strides_ = {};
    dnnl_dims_t inner_blks_ = {}, inner_idxs_ = {};

    static void query(
            const_dnnl_memory_desc_t md, dnnl_query_t what, void *value)
    {
        (void)dnnl_memory_desc_query(md, what, value);
    }

    static void copy(const_dnnl_memory_desc_t md, dnnl_query_t what,
            dnnl_dim_t *to, int count)
    {
        dnnl_dims_t *from = nullptr;
        if (count > 0 && dnnl_memory_desc_query(md, what, &from) == dnnl_success
                && from != nullptr)
            memcpy(to, *from, size_t(count) * sizeof(dnnl_dim_t));
    }
};

} // namespace impl
} // namespace dnnl

#endif

// SPDX-License-Identifier: Apache-2.0
// All of dnnl_cache.hpp: the compiler is told to keep what nobody calls, so
// that what is declared must be there to be linked, and check_interface.py can
// see which C calls it makes.
#include "dnnl_cache.hpp"

template void *dnnl::memory::map_data<void>(int) const;

// Classes of which several kinds of primitives are made.
#define CONVOLUTION(kind)                                                     \
    template struct dnnl::detail::convolution_forward_desc<dnnl_##kind,       \
            dnnl_##kind##_forward_primitive_desc_create>;                     \
    template struct dnnl::detail::convolution_backward_data_desc<dnnl_##kind, \
            dnnl::kind##_forward_desc,                                        \
            dnnl_##kind##_backward_data_primitive_desc_create>;               \
    template struct dnnl::detail::convolution_backward_weights_desc<          \
            dnnl_##kind, dnnl::kind##_forward_desc,                           \
            dnnl_##kind##_backward_weights_primitive_desc_create>;
CONVOLUTION(convolution)
CONVOLUTION(deconvolution)

#define GRU(cell, kind, ...)                                          \
    template struct dnnl::detail::gru_forward_desc<cell,              \
            decltype(&dnnl_##kind##_forward_primitive_desc_create),   \
            dnnl_##kind##_forward_primitive_desc_create __VA_ARGS__>; \
    template struct dnnl::detail::gru_backward_desc<cell,             \
            dnnl::kind##_forward_desc,                                \
            decltype(&dnnl_##kind##_backward_primitive_desc_create),  \
            dnnl_##kind##_backward_primitive_desc_create __VA_ARGS__>;
#define ATTENTION , dnnl::detail::md_ref
GRU(dnnl_vanilla_gru, gru, )
GRU(dnnl_lbr_gru, lbr_gru, )
GRU(dnnl_vanilla_augru, augru, ATTENTION)
GRU(dnnl_lbr_augru, lbr_augru, ATTENTION)

int main()
{
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// All of dnnl_cache.hpp: the compiler is told to keep what nobody calls, so
// that what is declared must be there to be linked, and check_interface.py can
// see which C calls it makes.
#define DNNL_EXPERIMENTAL_PROFILING
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#include "dnnl_cache.hpp"

template void *dnnl::memory::map_data<void>(int) const;
template dnnl::memory::memory(const dnnl::memory::desc &, const float);
template float dnnl::memory::get_host_scalar_value<float>() const;
template void dnnl::memory::set_host_scalar_value<float>(const float) const;

// The constructors of descriptors are templates, too: each is called.
namespace
{

template <typename T> T &any()
{
    return *static_cast<T *>(nullptr);
}

template <typename call, typename... arguments>
void construct(dnnl::detail::with<arguments...>)
{
    dnnl::detail::desc_by<call> desc(any<const dnnl::engine>(),
            any<typename std::remove_reference<
                    typename arguments::type>::type>()...);
}

template <typename call, typename... lists>
void construct_each(const dnnl::detail::described<call, lists...> *)
{
    const int done[] = {(construct<call>(lists()), 0)...};
    (void)done;
}

void construct_all()
{
#define KIND(name)  \
    construct_each( \
            static_cast<dnnl::detail::arg::name::constructors *>(nullptr));
    KIND(eltwise_forward)
    KIND(shuffle_forward)
    KIND(reduction)
    KIND(resampling_forward)
    KIND(softmax_forward)
    KIND(binary)
    KIND(prelu_forward)
    KIND(lrn_forward)
    KIND(batch_normalization_forward)
    KIND(layer_normalization_forward)
    KIND(group_normalization_forward)
    KIND(matmul)
    KIND(inner_product_forward)
    KIND(convolution_forward)
    KIND(deconvolution_forward)
    KIND(pooling_forward)
    KIND(eltwise_backward)
    KIND(softmax_backward)
    KIND(lrn_backward)
    KIND(shuffle_backward)
    KIND(prelu_backward)
    KIND(resampling_backward)
    KIND(pooling_backward)
    KIND(batch_normalization_backward)
    KIND(group_normalization_backward)
    KIND(layer_normalization_backward)
    KIND(inner_product_backward_data)
    KIND(inner_product_backward_weights)
    KIND(convolution_backward_data)
    KIND(convolution_backward_weights)
    KIND(deconvolution_backward_data)
    KIND(deconvolution_backward_weights)
    KIND(vanilla_rnn_forward)
    KIND(vanilla_rnn_backward)
    KIND(lstm_forward)
    KIND(lstm_backward)
    KIND(gru_forward)
    KIND(gru_backward)
    KIND(lbr_gru_forward)
    KIND(lbr_gru_backward)
    KIND(augru_forward)
    KIND(augru_backward)
    KIND(lbr_augru_forward)
    KIND(lbr_augru_backward)
}

} // namespace

// Not called: it need only compile and be linked.
extern void (*dnnl_cache_test_constructors)();
void (*dnnl_cache_test_constructors)() = construct_all;

int main()
{
    return 0;
}

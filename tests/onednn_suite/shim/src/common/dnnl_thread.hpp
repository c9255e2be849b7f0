/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over threads, in which oneDNN's tests compute what they expect. */
#ifndef COMMON_DNNL_THREAD_HPP
#define COMMON_DNNL_THREAD_HPP

#include "nstl.hpp"

#include <exception>
#include <mutex>
#include <omp.h>
#include <utility>

namespace dnnl
{
namespace impl
{

inline int dnnl_get_max_threads()
{
    return omp_get_max_threads();
}

/* The part of n of one of `team` threads. */
template <typename T, typename U>
void balance211(T n, U team, U thread, T &begin, T &end)
{
    begin = T(n * T(thread) / T(team));
    end = T(n * (T(thread) + 1) / T(team));
}

/* f(thread, threads); 0 threads are as many as there are. What one throws is
 * thrown again by the caller's thread. */
template <typename F> void parallel(int threads, F f)
{
    std::exception_ptr thrown;
    std::mutex lock;
    if (threads == 0) threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads)
    {
        try {
            f(omp_get_thread_num(), omp_get_num_threads());
        } catch (...) {
            std::lock_guard<std::mutex> guard(lock);
            thrown = std::current_exception();
        }
    }
    if (thrown) std::rethrow_exception(thrown);
}

/* f(i, j, ...) for all below sizes, which come before f. */
template <typename F, size_t... Is>
void parallel_nd_of(const dnnl_dim_t (&sizes)[sizeof...(Is)], F &f,
        std::index_sequence<Is...>)
{
    dnnl_dim_t total = 1;
    for (dnnl_dim_t size : sizes)
        total *= size;
    if (total <= 0) return;
    parallel(total == 1 ? 1 : 0, [&](int thread, int threads) {
        dnnl_dim_t begin, end, at[sizeof...(Is)];
        balance211(total, threads, thread, begin, end);
        for (dnnl_dim_t l = begin; l < end; l++) {
            dnnl_dim_t rest = l;
            for (size_t d = sizeof...(Is); d-- > 0; rest /= sizes[d])
                at[d] = rest % sizes[d];
            f(at[Is]...);
        }
    });
}

#define PARALLEL_ND(count, ...)                    \
    const dnnl_dim_t sizes[count] = {__VA_ARGS__}; \
    parallel_nd_of(sizes, f, std::make_index_sequence<count>())
template <typename F> void parallel_nd(dnnl_dim_t a, F f)
{
    PARALLEL_ND(1, a);
}
template <typename F> void parallel_nd(dnnl_dim_t a, dnnl_dim_t b, F f)
{
    PARALLEL_ND(2, a, b);
}
template <typename F>
void parallel_nd(dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, F f)
{
    PARALLEL_ND(3, a, b, c);
}
template <typename F>
void parallel_nd(dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, dnnl_dim_t d, F f)
{
    PARALLEL_ND(4, a, b, c, d);
}
template <typename F>
void parallel_nd(dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, dnnl_dim_t d,
        dnnl_dim_t e, F f)
{
    PARALLEL_ND(5, a, b, c, d, e);
}
template <typename F>
void parallel_nd(dnnl_dim_t a, dnnl_dim_t b, dnnl_dim_t c, dnnl_dim_t d,
        dnnl_dim_t e, dnnl_dim_t g, F f)
{
    PARALLEL_ND(6, a, b, c, d, e, g);
}
#undef PARALLEL_ND

} // namespace impl
} // namespace dnnl

#endif

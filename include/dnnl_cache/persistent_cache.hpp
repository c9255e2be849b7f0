/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persistent_cache.hpp: the persistent cache of oneDNN's proposal, with the
 * proposal's names.
 *
 *     dnnl::set_persistent_cache_dir("/home/me/.cache/my_app");
 *     dnnl::set_persistent_cache_capacity(256);
 *
 * Header only; link dnnl_cache::persistent_cache. Each function is a C call of
 * persistent_cache.h, which says more and has further calls.
 */
#ifndef DNNL_CACHE_PERSISTENT_CACHE_HPP
#define DNNL_CACHE_PERSISTENT_CACHE_HPP

#include "dnnl_cache.hpp"

#include "dnnl_cache/persistent_cache.h"

namespace dnnl
{
inline namespace dnnlc_0_1
{

/* Enables (not 0) or disables (0) the cache for the engines of a kind:
 * dnnl_cache_persistent_set_enabled(). By default it is enabled for
 * engine::kind::gpu, so that the capacity alone decides. */
inline status set_persistent_cache(int enable, engine::kind kind)
{
    return static_cast<status>(dnnl_cache_persistent_set_enabled(
            enable, static_cast<dnnl_engine_kind_t>(kind)));
}

/* Whether it is enabled for engines of that kind, whatever the capacity. Throws
 * dnnl::error for engine::kind::any. */
inline bool get_persistent_cache(engine::kind kind)
{
    int enabled = 0;
    error::wrap_c_api(dnnl_cache_persistent_get_enabled(
                              &enabled, static_cast<dnnl_engine_kind_t>(kind)),
            "could not tell whether the persistent cache is enabled");
    return enabled != 0;
}

/* Sets the capacity in megabytes: dnnl_cache_persistent_set_capacity(). 0,
 * which it is until it or the directory is set: the persistent cache is off. */
inline status set_persistent_cache_capacity(int capacity)
{
    return static_cast<status>(dnnl_cache_persistent_set_capacity(capacity));
}

/* The capacity in megabytes. */
inline int get_persistent_cache_capacity()
{
    int capacity = 0;
    error::wrap_c_api(dnnl_cache_persistent_get_capacity(&capacity),
            "could not get the capacity of the persistent cache");
    return capacity;
}

/* Sets the directory, by default the working directory:
 * dnnl_cache_persistent_set_dir(). */
inline status set_persistent_cache_dir(const std::string &dir)
{
    return static_cast<status>(dnnl_cache_persistent_set_dir(dir.c_str()));
}

} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_PERSISTENT_CACHE_HPP */

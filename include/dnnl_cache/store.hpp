/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.hpp: a store on disk for the classes of dnnl_cache.hpp.
 *
 *     dnnl::cache::disk_store store("/home/me/.cache/my_app");
 *     dnnl::cache::attached_store attached(store);
 *
 * Header only; link dnnl_cache::stores. Each method is the C call of that name
 * in store.h, which says more; a call that fails throws dnnl::error.
 */
#ifndef DNNL_CACHE_STORE_HPP
#define DNNL_CACHE_STORE_HPP

#include "dnnl_cache.hpp"

#include "dnnl_cache/store.h"
#include "dnnl_cache/store_types.h"

namespace dnnl
{
inline namespace dnnlc_0_1
{
namespace cache
{

namespace detail
{

/* An open store, closed at the end. */
struct open_store {
    open_store(const std::string &path, const std::string &type,
            const dnnl_cache_store_options *options)
        : handle_(nullptr)
    {
        const dnnl_cache_store_type *found = find_type(type);
        dnnl_cache_store_options chosen = DNNL_CACHE_STORE_OPTIONS_INIT;
        if (options != nullptr) chosen = *options;
        chosen.path = path.c_str();
        error::wrap_c_api(dnnl_cache_store_open(&handle_, found->name, &chosen),
                "could not open a store");
    }

    ~open_store() { dnnl_cache_store_close(handle_); }

    /* "": the default type. */
    static const dnnl_cache_store_type *find_type(const std::string &name)
    {
        const dnnl_cache_store_type *type =
                name.empty() ? dnnl_cache_store_get_default_type()
                             : dnnl_cache_store_find_type(name.c_str());
        if (type == nullptr)
            DNNL_THROW_ERROR(dnnl_invalid_arguments, "no such type of stores");
        return type;
    }

  protected:
    dnnl_cache_store_handle_t *handle_;

  private:
    open_store(const open_store &) = delete;
    open_store &operator=(const open_store &) = delete;
};

} // namespace detail

/*
 * A store of one of the types of store_types.h, open as long as the object
 * lives. It must outlive what it is attached to, and may be used from any
 * threads and processes at once.
 */
struct disk_store : private detail::open_store, public store {
    /* With the options of the type; type: "flat" or another name; "": the
     * default type. */
    explicit disk_store(const std::string &path, const std::string &type = "")
        : open_store(path, type, nullptr),
          store(dnnl_cache_store_get_callbacks(handle_))
    {
    }

    /* With these options; their path is not looked at. */
    disk_store(const std::string &path, const dnnl_cache_store_options &options,
            const std::string &type = "")
        : open_store(path, type, &options),
          store(dnnl_cache_store_get_callbacks(handle_))
    {
    }

    /* For the other calls of store.h and journal.h; owned by this object. */
    dnnl_cache_store_handle_t *get_handle() const { return handle_; }

    /* What this process did with the store since it opened it. */
    dnnl_cache_store_statistics get_statistics() const
    {
        dnnl_cache_store_statistics statistics =
                DNNL_CACHE_STORE_STATISTICS_INIT;
        error::wrap_c_api(dnnl_cache_store_get_statistics(handle_, &statistics),
                "could not get the statistics of a store");
        return statistics;
    }

    /* What all processes did with the store since counting began. */
    dnnl_cache_store_totals get_totals() const
    {
        dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
        error::wrap_c_api(dnnl_cache_store_get_totals(handle_, &totals),
                "could not get the totals of a store");
        return totals;
    }

    /* The number of entries that were removed. */
    uint64_t trim(uint64_t max_bytes,
            uint64_t max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED)
    {
        uint64_t removed = 0;
        error::wrap_c_api(dnnl_cache_store_trim(handle_, max_bytes,
                                  max_age_seconds, &removed),
                "could not trim a store");
        return removed;
    }

    /* Checks every byte; repair removes what is damaged. */
    dnnl_cache_store_check verify(bool repair = false)
    {
        dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
        error::wrap_c_api(dnnl_cache_store_verify(
                                  handle_, repair, nullptr, nullptr, &check),
                "could not verify a store");
        return check;
    }
};

} // namespace cache
} // namespace dnnlc_0_1
} // namespace dnnl

#endif /* DNNL_CACHE_STORE_HPP */

/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache.h"
#include "src/common/log.h"
#include "src/gpu/device/build_identity.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const dnnl_version_t *dnnl_version(void)
{
    static const dnnl_version_t version = {DNNL_VERSION_MAJOR,
            DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, build_git_hash,
            DNNL_RUNTIME_NONE, DNNL_RUNTIME_OCL};
    return &version;
}

const char *dnnl_cache_version(void)
{
    return TEXT(DNNL_CACHE_VERSION_MAJOR) "." TEXT(
            DNNL_CACHE_VERSION_MINOR) "." TEXT(DNNL_CACHE_VERSION_PATCH);
}

const char *dnnl_status2str(dnnl_status_t status)
{
    switch (status) {
    case dnnl_success:
        return "success";
    case dnnl_out_of_memory:
        return "out_of_memory";
    case dnnl_invalid_arguments:
        return "invalid_arguments";
    case dnnl_unimplemented:
        return "unimplemented";
    case dnnl_last_impl_reached:
        return "last_impl_reached";
    case dnnl_runtime_error:
        return "runtime_error";
    case dnnl_not_required:
        return "not_required";
    case dnnl_invalid_graph:
        return "invalid_graph";
    case dnnl_invalid_graph_op:
        return "invalid_graph_op";
    case dnnl_invalid_shape:
        return "invalid_shape";
    case dnnl_invalid_data_type:
        return "invalid_data_type";
    case dnnl_cache_miss:
        return "cache_miss";
    case dnnl_cache_blob_corrupt:
        return "cache_blob_corrupt";
    case dnnl_cache_blob_stale:
        return "cache_blob_stale";
    case dnnl_cache_blob_unsupported:
        return "cache_blob_unsupported";
    }
    return "unknown status";
}

dnnl_status_t dnnl_set_verbose(int level)
{
    if (level < 0 || level > 2) return dnnl_invalid_arguments;
    log_set_verbosity(level);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_set_log_callback(
        dnnl_cache_log_callback_t callback, void *user)
{
    log_set_callback(callback, user);
    return dnnl_success;
}

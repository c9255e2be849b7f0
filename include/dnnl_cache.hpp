/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dnnl_cache.hpp: the C++ interface, a thin layer over dnnl_cache.h.
 *
 * Names, signatures and behaviour are those of oneDNN 3.13's C++ interface as
 * far as the C interface goes. Header only, C++11, with exceptions.
 *
 *   cold                                 warm
 *   dnnl::matmul p(pd);                  blob = your store's, by the ID
 *   id = pd.get_cache_blob_id();         dnnl::matmul p(pd, blob);
 *   blob = p.get_cache_blob();
 *   keep it under the ID
 *
 * Rules for every call
 *   - Objects are references to objects of the C interface: a copy refers to
 *     the same object, which is destroyed with its last reference. What a
 *     getter says is borrowed (engines) does not keep the object alive.
 *   - A C call that fails throws dnnl::error with its status, and nothing has
 *     changed then; so does using an object that refers to nothing
 *     (dnnl_invalid_arguments). std::bad_alloc may leave every call that
 *     makes something. What a comment says is thrown comes on top of that.
 *   - Threads are dnnl_cache.h's matter; one C++ object may be read by several
 *     threads at once, or changed by one, as a std::shared_ptr.
 *
 * Everything lives in an inline namespace of this library's own, so that a
 * process may link objects that were compiled for oneDNN too.
 *
 * This page includes all topics. A program may include one alone instead, as
 * <dnnl_cache/program.hpp>; each includes what it needs.
 *
 *   dnnl_cache/base.hpp            statuses, errors, handles
 *   dnnl_cache/engine.hpp          engines, their IDs and blobs
 *   dnnl_cache/program.hpp         programs, kernels, background builds
 *   dnnl_cache/attached_store.hpp  stores that an application attaches
 *
 * and oneDNN's in dnnl_cache/onednn/:
 *
 *   library.hpp         versions, verbosity, what concerns a host's processor
 *   stream.hpp          queues
 *   memory.hpp          tensors and their descriptors
 *   primitive.hpp       primitives of any kind: blobs, execution
 *   attributes.hpp      algorithms, flags, post-ops, attributes
 *   primitive_desc.hpp  descriptors of primitives of any kind, their IDs
 *   constructors.hpp    how the descriptors of a kind are created
 *   kinds.hpp           the kinds: convolution, matmul, reorder ...
 *   backward.hpp        kinds that are not supported
 *   recurrent.hpp       recurrent kinds, of which some are not supported
 */
#ifndef DNNL_CACHE_HPP
#define DNNL_CACHE_HPP

#include "dnnl_cache/attached_store.hpp"
#include "dnnl_cache/base.hpp"
#include "dnnl_cache/engine.hpp"
#include "dnnl_cache/onednn/attributes.hpp"
#include "dnnl_cache/onednn/backward.hpp"
#include "dnnl_cache/onednn/constructors.hpp"
#include "dnnl_cache/onednn/kinds.hpp"
#include "dnnl_cache/onednn/library.hpp"
#include "dnnl_cache/onednn/memory.hpp"
#include "dnnl_cache/onednn/primitive.hpp"
#include "dnnl_cache/onednn/primitive_desc.hpp"
#include "dnnl_cache/onednn/recurrent.hpp"
#include "dnnl_cache/onednn/stream.hpp"
#include "dnnl_cache/program.hpp"

/* oneDNN's other name of the namespace. */
namespace oneapi
{
namespace dnnl = ::dnnl;
}

#endif /* DNNL_CACHE_HPP */

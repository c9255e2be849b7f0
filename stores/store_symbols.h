/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_symbols.h: the linker's names of the stores' functions.
 *
 * In a source store_close() is short; in a library that many programs link it
 * could be anybody's. So each is exported under a prefix of our own. A test
 * compares this list with what the library exports.
 */
#ifndef DNNL_CACHE_EXAMPLES_STORE_SYMBOLS_H
#define DNNL_CACHE_EXAMPLES_STORE_SYMBOLS_H

#define bucket_store_open dnnl_cache_bucket_store_open
#define chain_options_default dnnl_cache_chain_options_default
#define chain_store_get_member_statistics \
    dnnl_cache_chain_store_get_member_statistics
#define chain_store_open dnnl_cache_chain_store_open
#define flat_store_open dnnl_cache_flat_store_open
#define flat_store_open_for dnnl_cache_flat_store_open_for
#define flat_store_options_default dnnl_cache_flat_store_options_default
#define pack_store_open dnnl_cache_pack_store_open
#define store_callbacks dnnl_cache_store_callbacks
#define store_close dnnl_cache_store_close
#define store_get_statistics dnnl_cache_store_get_statistics
#define store_iterate dnnl_cache_store_iterate
#define store_key_file_make dnnl_cache_store_key_file_make
#define store_limit_bytes dnnl_cache_store_limit_bytes
#define store_limit_mb dnnl_cache_store_limit_mb
#define store_limit_off dnnl_cache_store_limit_off
#define store_limit_unlimited dnnl_cache_store_limit_unlimited
#define store_look_up dnnl_cache_store_look_up
#define store_options_default dnnl_cache_store_options_default
#define store_trim dnnl_cache_store_trim
#define store_verify dnnl_cache_store_verify
#define tree_store_days dnnl_cache_tree_store_days
#define tree_store_open dnnl_cache_tree_store_open
#define tree_store_options_default dnnl_cache_tree_store_options_default

#endif /* DNNL_CACHE_EXAMPLES_STORE_SYMBOLS_H */

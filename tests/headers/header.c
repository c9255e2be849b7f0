/* SPDX-License-Identifier: Apache-2.0 */
/* One public header, alone and twice; compiled as C and as C++. */
#include DNNL_CACHE_TEST_HEADER
#include DNNL_CACHE_TEST_HEADER

extern int dnnl_cache_test_header_is_complete;
int dnnl_cache_test_header_is_complete;

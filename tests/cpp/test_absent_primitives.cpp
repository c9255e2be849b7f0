/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's calls for backward primitives and augmented GRU, which are not here.
 */
#include "counted_gtest.h"
#include "dnnl_cache.h"

/* The call with nothing behind its first two arguments: all pointers are NULL,
 * all numbers 0. */
template <typename... Parameters>
static dnnl_status_t call_with_nothing(
        dnnl_status_t (*call)(
                dnnl_primitive_desc_t *, dnnl_engine_t, Parameters...),
        dnnl_primitive_desc_t *pd, dnnl_engine_t engine)
{
    return call(pd, engine, Parameters()...);
}

TEST(AbsentPrimitives, AreBackwardAndAugmented)
{
    static char untouched;
    const auto before = reinterpret_cast<dnnl_primitive_desc_t>(&untouched);
    dnnl_primitive_desc_t pd = before;
    dnnl_engine_t engine = nullptr;
    ASSERT_EQ(dnnl_success, dnnl_engine_create(&engine, dnnl_gpu, 0));
    int calls = 0;
#define EXPECT_ABSENT(kind, name, ...)                                        \
    calls++;                                                                  \
    EXPECT_EQ(dnnl_unimplemented, call_with_nothing(name, &pd, engine))       \
            << #name;                                                         \
    EXPECT_EQ(                                                                \
            dnnl_invalid_arguments, call_with_nothing(name, nullptr, engine)) \
            << #name;                                                         \
    EXPECT_EQ(dnnl_invalid_arguments, call_with_nothing(name, &pd, nullptr))  \
            << #name;                                                         \
    EXPECT_EQ(before, pd) << #name;
    DNNL_CACHE_ABSENT_PRIMITIVES(EXPECT_ABSENT)
#undef EXPECT_ABSENT
    EXPECT_EQ(25, calls);
    EXPECT_EQ(dnnl_success, dnnl_engine_destroy(engine));
}

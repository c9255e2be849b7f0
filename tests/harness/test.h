/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test may be a plain C function:
 *
 *     TEST_C(BlobReader, RejectsLengthPastEnd)
 *     {
 *         ASSERT_STATUS(dnnl_cache_blob_corrupt, blob_read(...));
 *     }
 *
 * It registers itself before main; harness.cpp hands it to GoogleTest, so
 * filters, sharding and reports work as for C++ tests. EXPECT_* notes a
 * failure and goes on, ASSERT_* notes it and returns from the function it
 * stands in (which must return void).
 */
#ifndef DNNL_CACHE_TESTS_HARNESS_TEST_H
#define DNNL_CACHE_TESTS_HARNESS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The elements of an array. */
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

#ifdef __cplusplus
extern "C" {
#endif

void test_register(const char *suite, const char *name, const char *file,
        int line, void (*body)(void));
/* Counts an assertion of the running test, whatever comes of it. A test that
 * ends without one has proved nothing and counts as failed. */
void test_asserts(void);
/* Notes a failure of the running test. */
void test_fail(const char *file, int line, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
/* Ends the running test as skipped, for a reason that is printed. */
void test_skip(const char *file, int line, const char *reason);
/* True if the running test has failed already. */
bool test_has_failed(void);
/* A seed for randomized tests: DNNL_CACHE_TEST_SEED, else a fresh one; it is
 * printed, so that a failure can be run again. */
uint64_t test_seed(void);
/* Is a case of three or more one to be tried? With DNNL_CACHE_TEST_SAMPLE,
 * which the merge tier sets, one of the first three is, and every sixth of the
 * others, by the seed the test began with. */
bool is_in_sample(size_t number, uint64_t seed);
/* A fresh directory of the running test's own, removed after it. */
const char *test_directory(void);
/* A path in it; the last eight that a thread asked for stay. */
const char *in_test(const char *name);
/* Has a thing ended after the running test, however that ends; what was given
 * last, first. For the test's own thread. */
void test_at_end(void (*end)(void *thing), void *thing);
/* Root may read and write whatever the permissions are, by capabilities. False
 * if they could not be given up; the process never has them again. Another user
 * might not reach the test's directory or the build. */
bool test_drop_capabilities(void);

bool test_bytes_equal(const char *file, int line, const char *what,
        const void *expected, size_t expected_size, const void *actual,
        size_t actual_size);
bool test_strings_equal(const char *file, int line, const char *what,
        const char *expected, const char *actual);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus
#define TEST_C(suite, name)                                                  \
    static void suite##_##name##_body(void);                                 \
    __attribute__((constructor)) static void suite##_##name##_register(void) \
    {                                                                        \
        test_register(                                                       \
                #suite, #name, __FILE__, __LINE__, suite##_##name##_body);   \
    }                                                                        \
    static void suite##_##name##_body(void)

/* A test of a thing that is made before it and ended after it, also if an
 * assertion ends the test, which has it as a pointer of that name. Suites have
 * a macro each: TEST_RIG(suite, name) and others. */
#define TEST_WITH(suite, name, type, thing, begin, end) \
    static void suite##_##name##_with(type *thing);     \
    TEST_C(suite, name)                                 \
    {                                                   \
        type thing##_made;                              \
        type *const thing = &thing##_made;              \
        begin;                                          \
        suite##_##name##_with(thing);                   \
        end;                                            \
    }                                                   \
    static void suite##_##name##_with(type *thing __attribute__((unused)))

/* The same of something that is a value, which begin sets; and of what has no
 * name. */
#define TEST_OF(suite, name, type, thing, begin, end) \
    static void suite##_##name##_of(type thing);      \
    TEST_C(suite, name)                               \
    {                                                 \
        type thing;                                   \
        begin;                                        \
        suite##_##name##_of(thing);                   \
        end;                                          \
    }                                                 \
    static void suite##_##name##_of(type thing __attribute__((unused)))
#define TEST_BETWEEN(suite, name, begin, end)   \
    static void suite##_##name##_between(void); \
    TEST_C(suite, name)                         \
    {                                           \
        begin;                                  \
        suite##_##name##_between();             \
        end;                                    \
    }                                           \
    static void suite##_##name##_between(void)

#define TEST_CHECK_(condition, fatal, ...)              \
    do {                                                \
        test_asserts();                                 \
        if (!(condition)) {                             \
            test_fail(__FILE__, __LINE__, __VA_ARGS__); \
            fatal                                       \
        }                                               \
    } while (0)

#define EXPECT_TRUE(c) TEST_CHECK_(c, , "not true: %s", #c)
#define ASSERT_TRUE(c) TEST_CHECK_(c, return;, "not true: %s", #c)
#define EXPECT_FALSE(c) TEST_CHECK_(!(c), , "not false: %s", #c)
#define ASSERT_FALSE(c) TEST_CHECK_(!(c), return;, "not false: %s", #c)

/* Integers of any kind, enumerators and sizes. */
#define TEST_INT_(op, a, b, fatal)                                             \
    do {                                                                       \
        long long test_a_ = (long long)(a);                                    \
        long long test_b_ = (long long)(b);                                    \
        TEST_CHECK_(test_a_ op test_b_, fatal, "%s " #op " %s: %lld and %lld", \
                #a, #b, test_a_, test_b_);                                     \
    } while (0)
#define EXPECT_EQ(a, b) TEST_INT_(==, a, b, )
#define ASSERT_EQ(a, b) TEST_INT_(==, a, b, return;)
#define EXPECT_NE(a, b) TEST_INT_(!=, a, b, )
#define ASSERT_NE(a, b) TEST_INT_(!=, a, b, return;)
#define EXPECT_LE(a, b) TEST_INT_(<=, a, b, )
#define EXPECT_LT(a, b) TEST_INT_(<, a, b, )
#define EXPECT_GE(a, b) TEST_INT_(>=, a, b, )
#define EXPECT_GT(a, b) TEST_INT_(>, a, b, )
#define ASSERT_GT(a, b) TEST_INT_(>, a, b, return;)

#define TEST_PTR_(op, a, b, fatal)                                             \
    do {                                                                       \
        const void *test_a_ = (a);                                             \
        const void *test_b_ = (b);                                             \
        TEST_CHECK_(test_a_ op test_b_, fatal, "%s " #op " %s: %p and %p", #a, \
                #b, test_a_, test_b_);                                         \
    } while (0)
#define EXPECT_PTR_EQ(a, b) TEST_PTR_(==, a, b, )
#define ASSERT_PTR_EQ(a, b) TEST_PTR_(==, a, b, return;)
#define EXPECT_NULL(a) TEST_PTR_(==, a, NULL, )
#define EXPECT_NOT_NULL(a) TEST_PTR_(!=, a, NULL, )
#define ASSERT_NOT_NULL(a) TEST_PTR_(!=, a, NULL, return;)

#define EXPECT_BYTES_EQ(a, na, b, nb) \
    (void)test_bytes_equal(__FILE__, __LINE__, #a " and " #b, a, na, b, nb)
#define EXPECT_STR_EQ(a, b) \
    (void)test_strings_equal(__FILE__, __LINE__, #a " and " #b, a, b)

#define EXPECT_STATUS(expected, call) TEST_INT_(==, expected, call, )
#define ASSERT_STATUS(expected, call) TEST_INT_(==, expected, call, return;)
#define EXPECT_OK(call) EXPECT_STATUS(dnnl_success, call)
#define ASSERT_OK(call) ASSERT_STATUS(dnnl_success, call)

#define SKIP_TEST(reason)                      \
    do {                                       \
        test_skip(__FILE__, __LINE__, reason); \
        return;                                \
    } while (0)
#endif /* !__cplusplus */

#endif /* DNNL_CACHE_TESTS_HARNESS_TEST_H */

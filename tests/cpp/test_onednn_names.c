/* SPDX-License-Identifier: Apache-2.0 */
/* All public names of oneDNN 3.13's C interface are declared, with its values,
 * and what is called is exported. The lists are the *.inc files. */
/* With the experimental names. */
#define DNNL_EXPERIMENTAL_PROFILING
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "oneapi/dnnl/dnnl_ocl.h"
#include "oneapi/dnnl/dnnl_version.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

/* Where each function is: what is not exported cannot be linked. */
static const struct {
    const char *name;
    void (*address)(void);
} functions[] = {
#define FUNCTION(name) {#name, (void (*)(void))name},
#define TYPE(name)
#define VALUE(name, value)
#define MACRO(name)
#include "onednn_c_names.inc"
#undef FUNCTION
#undef TYPE
#undef VALUE
#undef MACRO
};

/* A type that is not declared does not compile. */
static const size_t type_sizes[] = {
#define FUNCTION(name)
#define TYPE(name) sizeof(name *),
#define VALUE(name, value)
#define MACRO(name)
#include "onednn_c_names.inc"
#undef FUNCTION
#undef TYPE
#undef VALUE
#undef MACRO
};

static int count; /* of the values that were compared */

static void compare(const char *name, long long is, long long should_be)
{
    count++;
    if (is != should_be) printf("%s is %lld\n", name, is);
    EXPECT_EQ(should_be, is);
}

TEST_C(OneDNNNames, FunctionsAreExported)
{
    const size_t n = sizeof functions / sizeof functions[0];
    EXPECT_EQ(210u, n);
    for (size_t i = 0; i < n; i++) {
        EXPECT_TRUE(functions[i].address != NULL);
        for (size_t k = 0; k < i; k++)
            EXPECT_TRUE(functions[i].address != functions[k].address);
    }
}

TEST_C(OneDNNNames, TypesAreDeclared)
{
    const size_t n = sizeof type_sizes / sizeof type_sizes[0];
    EXPECT_EQ(50u, n);
    for (size_t i = 0; i < n; i++)
        EXPECT_EQ(sizeof(void *), type_sizes[i]);
}

TEST_C(OneDNNNames, EnumeratorsAndNumbersHaveItsValues)
{
    count = 0;
#define FUNCTION(name)
#define TYPE(name)
#define VALUE(name, value) compare(#name, (long long)(name), (value));
#define MACRO(name)
#include "onednn_c_names.inc"
#undef FUNCTION
#undef TYPE
#undef VALUE
#undef MACRO
    EXPECT_EQ(372, count);
}

TEST_C(OneDNNNames, FormatTagsHaveItsValues)
{
    count = 0;
#define TAG(name, value) compare("dnnl_" #name, dnnl_##name, value);
#include "onednn_tags.inc"
#undef TAG
    EXPECT_EQ(1671, count);
}

/* A tag's text is the letters that it was named by, or an alias of them. */
TEST_C(OneDNNNames, FormatTagsCanBeWritten)
{
    int named = 0;
#define TAG(name, value) named += strcmp(#name, dnnl_fmt_tag2str(value)) == 0;
#include "onednn_tags.inc"
#undef TAG
    EXPECT_EQ(873, named);
}

/* What is not defined is written as its own name. */
static void expect_macro(const char *name, const char *text)
{
    count++;
    if (strcmp(name, text) == 0) printf("%s is not defined\n", name);
    EXPECT_TRUE(strcmp(name, text) != 0);
}

#define TEXT_OF(...) #__VA_ARGS__

TEST_C(OneDNNNames, MacrosAreDefined)
{
    count = 0;
#define FUNCTION(name)
#define TYPE(name)
#define VALUE(name, value)
#define MACRO(name) expect_macro(#name, TEXT_OF(name));
#include "onednn_c_names.inc"
#undef FUNCTION
#undef TYPE
#undef VALUE
#undef MACRO
    EXPECT_EQ(54, count);
    EXPECT_EQ(2 * DNNL_ARG_ATTR_MULTIPLE_POST_OP_BASE,
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(1));
    /* A number that no other one is, and its own type's smallest. */
    EXPECT_TRUE(DNNL_RUNTIME_F32_VAL != DNNL_RUNTIME_F32_VAL);
    EXPECT_TRUE(DNNL_RUNTIME_SIZE_VAL == (size_t)DNNL_RUNTIME_DIM_VAL);
}

// SPDX-License-Identifier: Apache-2.0
// All public names of oneDNN 3.13's C++ interface are declared, with its
// values, and its constructors take what they take. The compiler looks; the
// lists are the *.inc files. With the experimental names.
#define DNNL_EXPERIMENTAL_PROFILING
#define DNNL_EXPERIMENTAL_GROUPED_MEMORY 1
#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"

#include "counted_gtest.h"

#include <type_traits>

#define JOIN_TOKENS(a, b) a##b
#define JOIN(a, b) JOIN_TOKENS(a, b)

// What most constructors take.
#define ENGINE const dnnl::engine &
#define ATTR const dnnl::primitive_attr &
#define MD const dnnl::memory::desc &
#define MDS const std::vector<dnnl::memory::desc> &
#define DIMS const dnnl::memory::dims &

namespace
{

// A using declaration names a member and a function, with all overloads; one
// that is inherited will do.
#define TYPE(type) typedef type JOIN(type_, __LINE__);
#define FUNCTION(name)               \
    namespace JOIN(scope_, __LINE__) \
    {                                \
        using name;                  \
    }
#define MEMBER(type, name)                       \
    struct JOIN(heir_, __LINE__) : public type { \
        using type::name;                        \
    };
#define VALUE(name, value)                                 \
    static_assert(static_cast<long long>(name) == (value), \
            #name " has another value");
#define CONSTRUCTOR(...)                                     \
    static_assert(std::is_constructible<__VA_ARGS__>::value, \
            "cannot be constructed: " #__VA_ARGS__);
#include "onednn_cpp_names.inc"

#define TAG(name, value)                                                       \
    static_assert(static_cast<int>(dnnl::memory::format_tag::name) == (value), \
            #name " has another value");
#include "onednn_tags.inc"
#undef TAG

} // namespace

// Macros of the C++ headers, and what a list of names cannot say.
TEST(OneDNNCppNames, AreDeclared)
{
#if !defined(DNNL_TRAP) || !defined(DNNL_THROW_ERROR) \
        || !defined(DNNL_ENABLE_EXCEPTIONS)
#error "a macro is not defined"
#endif
    EXPECT_TRUE((std::is_same<dnnl::memory, oneapi::dnnl::memory>::value));
    EXPECT_TRUE((std::is_same<unsigned,
            decltype(dnnl::primitive_desc().get_flags())>::value));
    EXPECT_TRUE((std::is_same<dnnl::rnn_flags,
            decltype(dnnl::primitive_desc()
                             .get_flags<dnnl::rnn_flags>())>::value));
    EXPECT_TRUE((std::is_same<dnnl::normalization_flags,
            decltype(dnnl::layer_normalization_backward::primitive_desc()
                             .get_flags())>::value));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The fake compiler's front end alone, without a driver. */
#include "fake_source.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

/* Scans a source; kernels is the caller's to empty. */
static char *scan(
        const char *text, const char *options, struct kernel_list *kernels)
{
    static const char *names[] = {"one.h", "dir/two.h"};
    static const char *headers[] = {"#define ONE 1\n#include \"dir/two.h\"\n",
            "#define TWO (ONE + 1)\n"};
    const struct source_input input = {
            .text = text,
            .options = options,
            .predefined = "#define __OPENCL_VERSION__ 300\n",
            .nheaders = 2,
            .header_names = names,
            .headers = headers,
    };
    char *error = NULL;

    memset(kernels, 0, sizeof(*kernels));
    EXPECT_EQ(CL_SUCCESS, source_scan(&input, kernels, &error));
    return error;
}

/* The names of the kernels, or the error, are as expected. */
static void expect_names(
        const char *text, const char *options, const char *expected)
{
    struct kernel_list kernels;
    char *error = scan(text, options, &kernels);
    char names[256] = "";

    if (error != NULL) strcpy(names, error);
    for (size_t i = 0; i < kernels.count; i++) {
        if (i != 0) strcat(names, " ");
        strcat(names, kernels.items[i].name);
    }
    EXPECT_STR_EQ(expected, names);
    free(error);
    kernel_list_fini(&kernels);
}

TEST_C(FakeSource, FindsKernelsAndNothingElse)
{
    expect_names("", "", "");
    expect_names("__kernel void a(void) {}\nkernel void b() { int kernel_; }",
            "", "a b");
    expect_names("// __kernel void a() {}\n/* kernel void b() {} */\n"
                 "constant char text[] = \"kernel void c() {}\\\"\";\n"
                 "kernel void d(int x) {}",
            "", "d");
    expect_names("kernel void later(int);\nkernel void later(int x) {}", "",
            "later");
    expect_names("void plain(int x) {}\nint kernel_count(void) { return 0; }",
            "", "");
    expect_names("__attribute__((vec_type_hint(float4))) __kernel "
                 "__attribute__((reqd_work_group_size(8, 4, 1))) void "
                 "__attribute__((aligned(4))) a(global float *x) {}",
            "", "a");
}

TEST_C(FakeSource, RefusesWhatDoesNotCompile)
{
    expect_names("#error no luck\n", "", "#error no luck");
    expect_names("int x = FAKE_BUILD_FAILURE;", "",
            "FAKE_BUILD_FAILURE in the source");
    expect_names(
            "", "-DFAKE_BUILD_FAILURE", "FAKE_BUILD_FAILURE in the options");
    expect_names("// FAKE_BUILD_FAILURE\nkernel void a() {}", "", "a");
    expect_names("#include \"three.h\"", "", "\"three.h\" file not found");
    expect_names("#if 1\n", "", "unterminated conditional directive");
    expect_names("#endif\n", "", "#endif without #if");
    expect_names("#if 1 / 0\n#endif", "", "division by zero");
    expect_names("#if\n#endif", "", "#if with no expression");
    expect_names("#define F(a) a\nF(1", "", "unterminated use of macro F");
    expect_names("#define F(a, b) a\nF(1)", "", "too few arguments to macro F");
    expect_names(
            "#define F(a) a\nF(1, 2)", "", "too many arguments to macro F");
    expect_names("kernel __attribute__((reqd_work_group_size(N, 1, 1))) "
                 "void a() {}",
            "", "reqd_work_group_size is not positive");
    expect_names("kernel void a() {}\nkernel void a() {}", "",
            "redefinition of 'a'");
}

TEST_C(FakeSource, ObeysConditionals)
{
    expect_names("#ifdef A\nkernel void a() {}\n#else\nkernel void b() {}\n"
                 "#endif",
            "-DA", "a");
    expect_names("#ifndef A\nkernel void a() {}\n#else\nkernel void b() {}\n"
                 "#endif",
            "-D A=0", "b");
    expect_names("#if 0\n#error never\n#if 1\n#else\n#error never\n#endif\n"
                 "#elif defined(A) && A * 2 == (4 | 0) && !defined B\n"
                 "kernel void a() {}\n#elif 1\n#error never\n#else\n"
                 "#error never\n#endif\nkernel void b() {}",
            "-DA=2", "a b");
    expect_names("#if __OPENCL_VERSION__ >= 200 ? 0 : 1\n#error\n#endif\n"
                 "kernel void a() {}",
            "", "a");
    expect_names("#if UNKNOWN || -1 < ~0u >> 1 != 1\nkernel void a() {}\n"
                 "#endif",
            "", "a");
    expect_names("#ifdef __OPENCL_VERSION__\n#error\n#endif\n"
                 "kernel void a() {}",
            "-U__OPENCL_VERSION__", "a");
}

TEST_C(FakeSource, ExpandsMacros)
{
    expect_names("#define CAT_(a, b) a##b\n#define CAT(a, b) CAT_(a, b)\n"
                 "kernel void CAT(NAME, _v2)() {}",
            "-DNAME=sum", "sum_v2");
    expect_names("#define KERNEL(name, ...) kernel void name(__VA_ARGS__)\n"
                 "KERNEL(a, int x, float y) {}\nKERNEL(b) {}",
            "", "a b");
    expect_names("#define F(x) G\n#define G(x) kernel void x() {}\n"
                 "F(1)(a)",
            "", "a");
    expect_names("#define self self\n#define loop other\n"
                 "#define other loop\nkernel void self() {}\n"
                 "kernel void loop() {}",
            "", "self loop");
    expect_names("#define LONG kernel \\\n  void \\\n a\nLONG () {}", "", "a");
    expect_names("#define S(x) #x\nconstant char *s = S(kernel void b() {});\n"
                 "kernel void a() {}",
            "", "a");
    expect_names("#define F(x) x\nF (kernel) void F(a)() {}\nint F;", "", "a");
    expect_names("#define A a\n#undef A\nkernel void A() {}", "", "A");
    expect_names("#include \"one.h\"\n#if TWO == 2\nkernel void a() {}\n"
                 "#endif",
            "", "a");
}

TEST_C(FakeSource, ReadsArguments)
{
    struct kernel_list kernels;
    char *error = scan("#define PLUS , const int extra\n"
                       "kernel void a(__global const float *restrict x, "
                       "unsigned int n, local int *tmp, float4 v, "
                       "__constant uchar c[], size3_t s PLUS) {}",
            "", &kernels);
    const struct kernel_argument *a;

    EXPECT_NULL(error);
    ASSERT_EQ(1, kernels.count);
    ASSERT_EQ(7, kernels.items[0].narguments);
    a = kernels.items[0].arguments;
    EXPECT_STR_EQ("x", a[0].name);
    EXPECT_STR_EQ("float*", a[0].type);
    EXPECT_EQ(CL_KERNEL_ARG_ADDRESS_GLOBAL, a[0].address);
    EXPECT_EQ(CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT,
            a[0].qualifiers);
    EXPECT_TRUE(a[0].pointer);
    EXPECT_STR_EQ("unsigned int", a[1].type);
    EXPECT_EQ(CL_KERNEL_ARG_ADDRESS_PRIVATE, a[1].address);
    EXPECT_EQ(4, a[1].size);
    EXPECT_EQ(CL_KERNEL_ARG_ADDRESS_LOCAL, a[2].address);
    EXPECT_EQ(16, a[3].size);
    EXPECT_STR_EQ("c", a[4].name);
    EXPECT_STR_EQ("uchar*", a[4].type);
    EXPECT_EQ(CL_KERNEL_ARG_ADDRESS_CONSTANT, a[4].address);
    EXPECT_EQ(0, a[5].size);
    EXPECT_STR_EQ("extra", a[6].name);
    kernel_list_fini(&kernels);
}

TEST_C(FakeSource, ReadsRequiredWorkGroupSizes)
{
    struct kernel_list kernels;
    char *error = scan("#define WG 16\n#define HALF 2\n"
                       "kernel __attribute__((reqd_work_group_size(WG, 2, 1)))"
                       " void a() {}\n"
                       "kernel __attribute__((reqd_work_group_size("
                       "1 + HALF * (2 - 1), 1, 1))) void b() {}\n"
                       "kernel void c() {}\n"
                       "#define TILE (WG * HALF)\n"
                       "kernel __attribute__((reqd_work_group_size(TILE, 1, 1))"
                       ") void d() {}",
            "", &kernels);

    EXPECT_NULL(error);
    ASSERT_EQ(4, kernels.count);
    EXPECT_EQ(16, kernels.items[0].required[0]);
    EXPECT_EQ(2, kernels.items[0].required[1]);
    EXPECT_EQ(1, kernels.items[0].required[2]);
    EXPECT_FALSE(kernels.items[0].computed);
    EXPECT_STR_EQ(
            "reqd_work_group_size(16, 2, 1)", kernels.items[0].attributes);
    EXPECT_EQ(3, kernels.items[1].required[0]);
    EXPECT_TRUE(kernels.items[1].computed);
    EXPECT_EQ(0, kernels.items[2].required[0]);
    EXPECT_NOT_NULL(kernel_list_find(&kernels, "b"));
    EXPECT_EQ(32, kernels.items[3].required[0]);
    EXPECT_FALSE(kernels.items[3].computed);
    EXPECT_NULL(kernel_list_find(&kernels, "e"));
    kernel_list_fini(&kernels);
}

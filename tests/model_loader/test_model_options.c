/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of model_loader. */
#include "options.h"
#include "test.h"

#include <string.h>

enum { most = 16 };

/* Parses these arguments, up to a NULL; the name of the program comes before
 * them. */
static bool parse(struct options *options, char *arguments[most + 1])
{
    static char name[] = "model_loader";
    static char *argv[most + 2];
    int argc = 1;
    argv[0] = name;
    for (; arguments[argc - 1] != NULL; argc++)
        argv[argc] = arguments[argc - 1];
    argv[argc] = NULL;
    return options_parse(options, argc, argv);
}

#define ARGUMENTS(...) ((char *[most + 1]){__VA_ARGS__})

TEST_C(ModelOptions, StandInAnyOrder)
{
    struct options o;
    ASSERT_TRUE(parse(&o, ARGUMENTS("--repeat", "7", "a.onnx", "--store=b",
                                  "--input", "ramp", "--cached-only", "--input",
                                  "c", "--prepare", "--record", "d")));
    EXPECT_STR_EQ("a.onnx", o.model);
    EXPECT_STR_EQ("b", o.store);
    EXPECT_EQ(7, o.repeat);
    EXPECT_TRUE(o.cached_only);
    EXPECT_TRUE(o.prepare);
    EXPECT_STR_EQ("d", o.record);
    EXPECT_EQ(2, o.input_count);
    if (o.input_count == 2) EXPECT_STR_EQ("c", o.inputs[1]);
    EXPECT_EQ(-1, o.worker);
    options_fini(&o);
    ASSERT_TRUE(parse(
            &o, ARGUMENTS("--weights", "random:18446744073709551615",
                        "--worker", "3", "--store", "b", "--", "-a.onnx")));
    EXPECT_STR_EQ("-a.onnx", o.model);
    EXPECT_TRUE(o.is_random);
    EXPECT_TRUE(o.seed == UINT64_MAX);
    EXPECT_EQ(3, o.worker);
    options_fini(&o);
    ASSERT_TRUE(parse(&o, ARGUMENTS("--help")));
    EXPECT_TRUE(o.help);
    options_fini(&o);
}

TEST_C(ModelOptions, AreRefusedWhereTheyMakeNoSense)
{
    char **const wrong[] = {
            ARGUMENTS(NULL),
            ARGUMENTS("a.onnx"),
            ARGUMENTS("--store", "b"),
            ARGUMENTS("a.onnx", "--store"),
            ARGUMENTS("a.onnx", "--store", ""),
            ARGUMENTS("a.onnx", "--store", "b", "--record", ""),
            ARGUMENTS("a.onnx", "b.onnx", "--store", "b"),
            ARGUMENTS("a.onnx", "--store", "b", "--nonsense"),
            ARGUMENTS("a.onnx", "--store", "b", "-x"),
            ARGUMENTS("a.onnx", "--store", "b", "--cached-only=1"),
            ARGUMENTS("a.onnx", "--store", "b", "--repeat", "many"),
            ARGUMENTS("a.onnx", "--store", "b", "--repeat", "1048577"),
            ARGUMENTS("a.onnx", "--store", "b", "--repeat",
                    "99999999999999999999"),
            ARGUMENTS("a.onnx", "--store", "b", "--threads", "-1"),
            ARGUMENTS("a.onnx", "--store", "b", "--weights", "random:"),
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct options o;
        EXPECT_FALSE(parse(&o, wrong[i]));
        options_fini(&o);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of model_loader. */
#include "model/command/options.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
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
    EXPECT_EQ(2, o.inputs.count);
    if (o.inputs.count == 2) EXPECT_STR_EQ("c", o.inputs.values[1]);
    options_fini(&o);
    ASSERT_TRUE(parse(&o, ARGUMENTS("--weights", "random:18446744073709551615",
                                  "--store", "b", "--", "-a.onnx")));
    EXPECT_STR_EQ("-a.onnx", o.model);
    EXPECT_TRUE(o.is_random);
    EXPECT_TRUE(o.seed == UINT64_MAX);
    options_fini(&o);
    ASSERT_TRUE(parse(&o, ARGUMENTS("--help")));
    EXPECT_TRUE(o.help);
    options_fini(&o);
}

TEST_C(ModelOptions, AreRefusedWhereTheyMakeNoSense)
{
    char **const wrong[] = {
            ARGUMENTS(NULL),
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
            ARGUMENTS("a.onnx", "--store", "b", "--worker", "3"),
            ARGUMENTS("a.onnx", "--store", "b", "--constant", "sr"),
            ARGUMENTS("a.onnx", "--store", "b", "--constant", "=1"),
            ARGUMENTS("a.onnx", "--store", "b", "--constant", "sr="),
            ARGUMENTS("a.onnx", "--store", "b", "--constant", "sr=1k"),
            ARGUMENTS("a.onnx", "--store", "b", "--constant", "sr=inf"),
            ARGUMENTS("a.onnx", "--store", "b", "--constant", "sr=1",
                    "--constant", "sr=2"),
            ARGUMENTS("a.onnx", "--store", "b", "--preset", "nonsense"),
            ARGUMENTS("a.onnx", "--store", "b", "--resize", "224x"),
            ARGUMENTS("a.onnx", "--store", "b", "--resize", "0"),
            ARGUMENTS("a.onnx", "--store", "b", "--resize", "32769x1"),
            ARGUMENTS("a.onnx", "--store", "b", "--crop", "224"),
            ARGUMENTS("a.onnx", "--store", "b", "--mean", "1,2"),
            ARGUMENTS("a.onnx", "--store", "b", "--mean", "1,2,3,4"),
            ARGUMENTS("a.onnx", "--store", "b", "--scale", "1/0"),
            ARGUMENTS("a.onnx", "--store", "b", "--layout", "hwc"),
            ARGUMENTS("a.onnx", "--store", "b", "--output-format", "txt"),
            ARGUMENTS("a.onnx", "--store", "b", "--top", "-1"),
            ARGUMENTS("a.onnx", "--store", "b", "--duration", "0"),
            ARGUMENTS("a.onnx", "--store", "b", "--duration", "long"),
            ARGUMENTS("a.onnx", "--store", "b", "--prepare", "--top", "5"),
            ARGUMENTS("--list"),
            ARGUMENTS("a.onnx", "--list=1"),
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct options o;
        EXPECT_FALSE(parse(&o, wrong[i]));
        options_fini(&o);
    }
}

TEST_C(ModelOptions, DescribePictures)
{
    struct options o;
    /* Without one, pixels are those of torchvision's networks. */
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx", "--store=b")));
    EXPECT_TRUE(o.image.mean[0] == 123.675);
    EXPECT_TRUE(o.image.margin > 1.0);
    options_fini(&o);
    ASSERT_TRUE(parse(
            &o, ARGUMENTS("a.onnx", "--store=b", "--mean=1,2.5,3",
                        "--scale=1/255", "--resize=320x240", "--crop=300x200",
                        "--layout=nhwc", "--labels=l")));
    EXPECT_TRUE(o.image.mean[1] == 2.5);
    EXPECT_TRUE(o.image.scale[2] == 1.0 / 255.0);
    EXPECT_EQ(320, o.image.resize_width);
    EXPECT_EQ(200, o.image.crop_height);
    EXPECT_EQ(image_layout_nhwc, o.image.layout);
    EXPECT_EQ(5, o.top);
    options_fini(&o);
    /* Own numbers come before those of a preset, wherever they are. */
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx", "--store=b", "--mean=7",
                                  "--preset=caffe", "--resize=256")));
    EXPECT_TRUE(o.image.mean[2] == 7.0);
    EXPECT_TRUE(o.image.scale[0] == 1.0);
    EXPECT_TRUE(o.image.is_bgr);
    EXPECT_EQ(0, o.image.resize_width);
    EXPECT_EQ(256, o.image.resize_height);
    options_fini(&o);
}

/* A store that nobody chose is in a folder of this user's. */
TEST_C(ModelOptions, HaveADefaultStore)
{
    char expected[700];
    struct options o;
    char *home = getenv("HOME") != NULL ? strdup(getenv("HOME")) : NULL;
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", test_directory(), 1);
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx")));
    (void)snprintf(expected, sizeof expected, "%s/.cache/dnnl_cache_models",
            test_directory());
    EXPECT_STR_EQ(expected, o.store);
    EXPECT_TRUE(o.is_default_store);
    options_fini(&o);
    setenv("XDG_CACHE_HOME", test_directory(), 1);
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx")));
    (void)snprintf(expected, sizeof expected, "%s/dnnl_cache_models",
            test_directory());
    EXPECT_STR_EQ(expected, o.store);
    options_fini(&o);
    /* One that is not there yet is made. */
    (void)snprintf(expected, sizeof expected, "%s/new", test_directory());
    setenv("XDG_CACHE_HOME", expected, 1);
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx")));
    (void)snprintf(expected, sizeof expected, "%s/new/dnnl_cache_models",
            test_directory());
    EXPECT_STR_EQ(expected, o.store);
    options_fini(&o);
    /* A relative one is no place, as the rules of such folders say. */
    setenv("XDG_CACHE_HOME", "cache", 1);
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx")));
    (void)snprintf(expected, sizeof expected, "%s/.cache/dnnl_cache_models",
            test_directory());
    EXPECT_STR_EQ(expected, o.store);
    options_fini(&o);
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx", "--store=b")));
    EXPECT_STR_EQ("b", o.store);
    EXPECT_FALSE(o.is_default_store);
    options_fini(&o);
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "/nowhere", 1);
    EXPECT_FALSE(parse(&o, ARGUMENTS("a.onnx")));
    options_fini(&o);
    if (home != NULL)
        setenv("HOME", home, 1);
    else
        unsetenv("HOME");
    free(home);
}

TEST_C(ModelOptions, NeedNoStoreToList)
{
    struct options o;
    ASSERT_TRUE(parse(&o, ARGUMENTS("a.onnx", "--list", "--json=c")));
    EXPECT_TRUE(o.list);
    options_fini(&o);
    ASSERT_TRUE(parse(&o, ARGUMENTS("--list-devices")));
    EXPECT_TRUE(o.list_devices);
    options_fini(&o);
    ASSERT_TRUE(parse(&o, ARGUMENTS("--version")));
    EXPECT_TRUE(o.version);
    options_fini(&o);
}

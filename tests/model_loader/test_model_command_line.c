/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model_loader with the files that people have: arrays, pictures, labels; and
 * what it says about them. On a real driver, DNNL_CACHE_TEST_PLATFORM or PoCL;
 * small models, whose programs all tests share.
 */
#include "example_process.h"
#include "model_text.h"
#include "test.h"
#include "test_platform.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE DNNL_CACHE_TEST_DATA_DIR "/pictures/disc.png"
#define PHOTO DNNL_CACHE_TEST_DATA_DIR "/pictures/disc.jpg"

enum { most_arguments = 32, text_size = 640 }; /* a path and a name */

static void in_child(const char *directory, const char *name)
{
    setenv("POCL_CACHE_DIR", example_file(directory, name, "pocl").text, 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0:use_sigaltstack=0", 1);
}

static void without_drivers(const char *directory, const char *name)
{
    in_child(directory, name);
    setenv("OCL_ICD_VENDORS", "/no/such/folder", 1);
}

/* A model of a text, as a file in the test's directory. */
static const char *make_model(const char *name, const char *text)
{
    static struct example_path path;
    struct model_text model;
    model_text_init(&model, text);
    path = example_file(test_directory(), name, "onnx");
    example_write(path.text, model.bytes, model.size);
    model_text_fini(&model);
    return path.text;
}

static int run_as(const char *name, const char *model, const char *const *more,
        void (*child)(const char *, const char *))
{
    const char *argv[most_arguments] = {MODEL_LOADER, model};
    int n = 2;
    for (; *more != NULL && n + 1 < most_arguments; more++)
        argv[n++] = *more;
    return example_run(test_directory(), name, (char *const *)argv, child);
}

/* The last argument is NULL. */
static int run(const char *name, const char *model, const char *const *more)
{
    const struct example_path store = example_path(test_directory(), "store");
    const char *argv[most_arguments] = {
            "--store", store.text, "--platform", test_platform_name()};
    int n = 4;
    for (; *more != NULL && n + 1 < most_arguments; more++)
        argv[n++] = *more;
    return run_as(name, model, argv, in_child);
}

static void expect_says(const char *name, const char *ending, const char *text)
{
    const struct example_path path =
            example_file(test_directory(), name, ending);
    test_asserts();
    if (example_says(path.text, text)) return;
    char *is = example_contents(path.text, NULL);
    test_fail(__FILE__, __LINE__, "%s.%s has no \"%s\": %s", name, ending, text,
            is);
    free(is);
}

static bool skips(void)
{
    if (test_platform_device() != NULL) return false;
    test_skip(__FILE__, __LINE__, "no platform of that name is here");
    return true;
}

/* "NAME=PATH" of a file in the test's directory. */
static const char *at(char text[text_size], const char *name, const char *file)
{
    snprintf(text, text_size, "%s%s%s", name, name[0] != '\0' ? "=" : "",
            example_path(test_directory(), file).text);
    return text;
}

static bool reads_pictures(const char *name)
{
    return !example_says(example_file(test_directory(), name, "err").text,
            "was built without");
}

/* ---- Files --------------------------------------------------------------- */

#define COPY                                            \
    "opset 13\ninput in f32 1,3,8,12\nRelu in -> out\n" \
    "output out f32 1,3,8,12"

static void expect_same_files(const char *a, const char *b)
{
    size_t a_size, b_size;
    char *x = example_contents(example_path(test_directory(), a).text, &a_size);
    char *y = example_contents(example_path(test_directory(), b).text, &b_size);
    EXPECT_GT(a_size, 8 * 12 * 3);
    EXPECT_BYTES_EQ(x, a_size, y, b_size);
    free(x);
    free(y);
}

/* A picture, and what comes of it in every other form, are the same. */
TEST_C(ModelCommandLine, TakesTheSameFromEveryFile)
{
    char a[text_size], b[text_size], c[text_size];
    if (skips()) return;
    const char *model = make_model("copy", COPY);
    const char *const picture[] = {"--input", "in=" PICTURE, "--preset", "unit",
            "--output", at(a, "", "1.npy"), NULL};
    const int status = run("picture", model, picture);
    if (!reads_pictures("picture")) {
        test_skip(__FILE__, __LINE__, "there is no libpng");
        return;
    }
    EXPECT_EQ(0, status);
    const char *const npy[] = {"--input", at(a, "in", "1.npy"), "--output",
            at(b, "out", "2.raw"), "--cached-only", NULL};
    EXPECT_EQ(0, run("npy", model, npy));
    const char *const raw[] = {"--input", at(a, "in", "2.raw"), "--output",
            at(b, "", "3.pb"), NULL};
    EXPECT_EQ(0, run("raw", model, raw));
    const char *const proto[] = {"--input", at(a, "", "3.pb"), "--expect",
            at(b, "", "1.npy"), "--output-dir", at(c, "", "all"), NULL};
    EXPECT_EQ(0, run("proto", model, proto));
    expect_says("proto", "out", "as expected, 288 elements");
    expect_same_files("1.npy", "all/out.npy");
    const char *const other[] = {"--input=" PHOTO, "--preset=unit",
            "--output-dir", at(c, "", "all"), "--output-format=pb", "--expect",
            at(b, "", "1.npy"), NULL};
    /* A JPEG differs a little. */
    EXPECT_EQ(3, run("photo", model, other));
    expect_says("photo", "out", "WRONG");
}

TEST_C(ModelCommandLine, NamesClassesOfPictures)
{
    char labels[text_size];
    if (skips()) return;
    example_write(example_path(test_directory(), "labels.txt").text,
            "red\ngreen\nblue\n", 15);
    const char *model = make_model("colours",
            "opset 13\ninput in f32 ?n,3,32,32\nGlobalAveragePool in -> out\n"
            "output out f32 ?n,3,1,1");
    const char *const top[] = {"--shape=in=1x3x32x32", "--input=in=" PICTURE,
            "--resize=96x64", "--preset=unit", "--top=2", "--labels",
            at(labels, "", "labels.txt"), "--profile", "--warm-up=1",
            "--duration=0.000001", NULL}; /* shorter than a run */
    const int status = run("top", model, top);
    if (!reads_pictures("top")) {
        test_skip(__FILE__, __LINE__, "there is no libpng");
        return;
    }
    EXPECT_EQ(0, status);
    /* The middle is in the disc, which is blue. */
    expect_says("top", "out", "top 2:\n   1.  39.");
    expect_says("top", "out", "%  blue (2)\n   2.  30.");
    expect_says("top", "out", "2 runs: p50");
    expect_says("top", "out", "layers, on the device");
    /* A picture is a batch of one. */
    const char *const one[] = {"--input=in=" PICTURE, "--resize=96x64",
            "--preset=unit", "--top=2", "--labels",
            at(labels, "", "labels.txt"), "--cached-only", NULL};
    EXPECT_EQ(0, run("one", model, one));
    expect_says("one", "out", "top 2:\n   1.  39.");
    const char *const wrong[] = {
            "--shape=1,3,32,32", "--input=" PICTURE, "--labels", PICTURE, NULL};
    EXPECT_EQ(1, run("lines", model, wrong));
    expect_says("lines", "err", "lines, and the output 3 classes");
}

/* Also of scores that are no probabilities, and none at all. */
TEST_C(ModelCommandLine, OrdersClassesOfAnyScores)
{
    static const float scores[] = {1, INFINITY, 2, NAN};
    char file[text_size];
    if (skips()) return;
    example_write(example_path(test_directory(), "scores.raw").text, scores,
            sizeof scores);
    const char *model = make_model(
            "scores", "opset 13\ninput x f32 4\nRelu x -> y\noutput y f32 4");
    const char *const top[] = {
            "--input", at(file, "", "scores.raw"), "--top=4", NULL};
    EXPECT_EQ(0, run("scores", model, top));
    expect_says("scores", "out", "%  class 1\n   2. ");
    expect_says("scores", "out", "%  class 2\n   3. ");
    expect_says("scores", "out", "%  class 0\n   4. ");
}

/* ---- Messages ------------------------------------------------------------ */

/* Before anything is compiled: here no driver could. */
TEST_C(ModelCommandLine, SaysWhatAnInputNeeds)
{
    char path[text_size];
    static const uint8_t npy[] = "\x93NUMPY\x01\x00\x46\x00"
                                 "{'descr': '<i4', 'fortran_order': False, "
                                 "'shape': (2,), }            \n"
                                 "12345678";
    example_write(example_path(test_directory(), "two.npy").text, npy,
            sizeof npy - 1);
    example_write(
            example_path(test_directory(), "eight.raw").text, "12345678", 8);
    const char *two = at(path, "x", "two.npy");
    char named[text_size], raw[text_size];
    snprintf(named, sizeof named, "--input=%s", two);
    snprintf(raw, sizeof raw, "--input=%s", at(path, "x", "eight.raw"));
    struct {
        const char *name, *model, *argument, *reason;
    } const cases[] = {
            {"open", "opset 13\ninput x f32 ?batch,2\nRelu x -> y\noutput y",
                    "--repeat=1",
                    "input 'x' has shape [batch, 2]: say its dimensions, for "
                    "example --shape x=1x2"},
            {"prepared",
                    "opset 13\ninput x f32 ?batch,2\nRelu x -> y\noutput y",
                    "--prepare", "for example --shape x=1x2"},
            {"size of pictures",
                    "opset 13\ninput x f32 ?n,3,?h,8\nRelu x -> y\noutput y",
                    "--input=x=" PICTURE,
                    "input 'x' has shape [n, 3, h, 8]: say its dimensions, for "
                    "example --shape x=1x3x1x8"},
            {"rank", "opset 13\ninput x f32 ?batch,2\nRelu x -> y\noutput y",
                    "--shape=x=2",
                    "input 'x' has shape [batch, 2], which [2] "
                    "does not match"},
            {"name", "opset 13\ninput x f32 ?batch,2\nRelu x -> y\noutput y",
                    "--shape=z=1x2", "the model has no input 'z'"},
            {"zero", "opset 13\ninput x f32 ?batch,2\nRelu x -> y\noutput y",
                    "--shape=x=0x2", "dimensions are numbers such as"},
            {"type", "opset 13\ninput x f32 2\nRelu x -> y\noutput y", named,
                    "input 'x' needs FLOAT [2], and was given INT32 [2]"},
            {"size", "opset 13\ninput x f32 3\nRelu x -> y\noutput y", raw,
                    "8 bytes, and input 'x' needs 12 of type FLOAT"},
            {"kind", "opset 13\ninput x i64 1,3,4,4\nNeg x -> y\noutput y",
                    "--input=x=" PICTURE, "INT64, which no picture has"},
            {"form", "opset 13\ninput x f32 7\nRelu x -> y\noutput y",
                    "--input=x=" PICTURE, "a picture needs an input [1, 3, H"},
            {"what", "opset 13\ninput x f32 7\nRelu x -> y\noutput y",
                    "--input=z=nothing.npy",
                    "no input of the model has a name before '='; the first is "
                    "'x'"},
            {"output", "opset 13\ninput x f32 7\nRelu x -> y\noutput y",
                    "--output=z=out.npy",
                    "--output z=out.npy: the model has no output 'z', the "
                    "first is 'y'; a file of that name is ./z=out.npy"},
            {"many", "opset 13\ninput x f32 7\nRelu x -> y\noutput y",
                    "--input=ramp", "the model has 1 inputs, not 2"},
            {"twice", "opset 13\ninput x f32 ?n\nRelu x -> y\noutput y",
                    "--shape=x=3",
                    "--shape x=4: that input has a shape already, x=3"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const more[] = {"--store=store", cases[i].argument,
                strcmp(cases[i].name, "many") == 0    ? "--input=ramp"
                : strcmp(cases[i].name, "twice") == 0 ? "--shape=x=4"
                                                      : NULL,
                NULL};
        EXPECT_EQ(1,
                run_as(cases[i].name, make_model(cases[i].name, cases[i].model),
                        more, without_drivers));
        if (!reads_pictures(cases[i].name)) continue;
        expect_says(cases[i].name, "err", cases[i].reason);
    }
}

/* An array says what the model leaves open. */
TEST_C(ModelCommandLine, TakesTheShapeOfAnArray)
{
    char a[text_size], b[text_size];
    if (skips()) return;
    const char *model = make_model(
            "open", "opset 13\ninput x f32 ?n\nRelu x -> y\noutput y f32 ?n");
    const char *const first[] = {
            "--shape", "x=6", "--output", at(a, "y", "six.npy"), NULL};
    EXPECT_EQ(0, run("first", model, first));
    const char *const second[] = {"--input", at(a, "x", "six.npy"), "--expect",
            at(b, "", "six.npy"), NULL};
    EXPECT_EQ(0, run("second", model, second));
    expect_says("second", "out", "as expected, 6 elements");
}

/* A symbol is a dimension of all inputs that have it. */
TEST_C(ModelCommandLine, TakesADimensionByItsName)
{
    char a[text_size], b[text_size];
    if (skips()) return;
    const char *model = make_model("symbol",
            "opset 13\ninput x f32 ?n,2\ninput z f32 ?n,?m\nAdd x,z -> y\n"
            "output y f32 ?n,2");
    const char *const first[] = {"--shape", "n=3", "--shape", "m=2", "--output",
            at(a, "y", "three.npy"), NULL};
    EXPECT_EQ(0, run("first", model, first));
    const char *const second[] = {"--shape", "x=3x2", "--shape", "z=3x2",
            "--expect", at(b, "", "three.npy"), NULL};
    EXPECT_EQ(0, run("second", model, second));
    expect_says("second", "out", "as expected, 6 elements");
    const char *const third[] = {"--shape", "k=3", NULL};
    EXPECT_EQ(1, run("third", model, third));
    expect_says("third", "err", "the model has no input 'k'");
}

/* What is loaded in advance is of the shape that is given. */
TEST_C(ModelCommandLine, KeepsAListForEachShape)
{
    int count = 0;
    if (skips()) return;
    const char *model = make_model(
            "lists", "opset 13\ninput x f32 ?n\nRelu x -> y\noutput y f32 ?n");
    const char *const shapes[] = {"x=6", "x=7", "x=6"};
    for (size_t i = 0; i < COUNT(shapes); i++) {
        const char *const more[] = {"--prepare", "--shape", shapes[i], NULL};
        EXPECT_EQ(0, run("lists", model, more));
    }
    DIR *folder =
            opendir(example_path(test_directory(), "store/working-sets").text);
    EXPECT_TRUE(folder != NULL);
    for (const struct dirent *e = folder != NULL ? readdir(folder) : NULL;
            e != NULL; e = readdir(folder))
        count += e->d_name[0] != '.';
    if (folder != NULL) closedir(folder);
    EXPECT_EQ(2, count);
}

/* ---- Lists --------------------------------------------------------------- */

TEST_C(ModelCommandLine, ListsAModelWithoutADriver)
{
    const struct example_path json =
            example_path(test_directory(), "list.json");
    const char *model = make_model("list",
            "opset 13\ninput x f16 ?batch,3\nconst w f32 3,5 = 1\n"
            "MatMul x,w -> y\noutput y f32 ?batch,5");
    const char *const list[] = {"--list", "--json", json.text, NULL};
    EXPECT_EQ(0, run_as("list", model, list, without_drivers));
    expect_says("list", "out", "input   x  FLOAT16  [batch, 3]\n");
    expect_says("list", "out", "output  y  FLOAT  [batch, 5]\n");
    expect_says("list", "out",
            "opset 13, 1 nodes, 15 parameters in 1 tensors, 60 bytes\n");
    char *text = example_contents(json.text, NULL);
    EXPECT_TRUE(strstr(text, "\"parameter_bytes\": 60") != NULL);
    EXPECT_TRUE(strstr(text, "\"batch\"") != NULL);
    free(text);
    const char *const devices[] = {NULL};
    EXPECT_EQ(1, run_as("none", "--list-devices", devices, without_drivers));
    expect_says("none", "err", "no OpenCL device");
    EXPECT_EQ(0, run_as("version", "--version", devices, without_drivers));
    expect_says("version", "out", "model_loader " MODEL_VERSION "\n");
}

TEST_C(ModelCommandLine, ChoosesADevice)
{
    if (skips()) return;
    const char *const none[] = {NULL};
    EXPECT_EQ(0, run_as("devices", "--list-devices", none, in_child));
    expect_says("devices", "out", test_platform_name());
    const char *model = make_model("relu", "input x f32 2\nRelu x -> y\n"
                                           "output y");
    const char *const first[] = {"--device=0", NULL};
    EXPECT_EQ(0, run("first", model, first));
    const char *const last[] = {"--device", "99", NULL};
    EXPECT_EQ(1, run("last", model, last));
    expect_says("last", "err", "no OpenCL device 99 of a platform named");
}

/* ---- A framework --------------------------------------------------------- */

TEST_C(ModelCommandLine, AFrameworkRunsTwoModelsAtOnce)
{
    if (skips()) return;
    if (!test_platform_takes_threads())
        SKIP_TEST("two threads must not use this driver at once");
    const struct example_path one = example_file(
                                      test_directory(), "one", "onnx"),
                              two = example_file(
                                      test_directory(), "two", "onnx"),
                              store = example_path(test_directory(), "both");
    make_model("one", COPY);
    make_model("two", "opset 13\ninput x f32 4,6\nSoftmax x -> y axis=1\n"
                      "output y f32 4,6");
    const char *const argv[] = {TWO_MODELS, one.text, two.text, store.text,
            test_platform_name(), NULL};
    EXPECT_EQ(0, example_run(test_directory(), "cold", (char *const *)argv,
                         in_child));
    expect_says("cold", "out", "one.onnx: cold, 288 results, the first is 0.5");
    expect_says("cold", "out", "two.onnx: cold, 24 results, the first is 0.16");
    EXPECT_EQ(0, example_run(test_directory(), "warm", (char *const *)argv,
                         in_child));
    expect_says("warm", "out", "one.onnx: warm, 288 results");
    expect_says("warm", "out", "two.onnx: warm, 24 results");
}

/* ---- A whole network ----------------------------------------------------- */

/* README's commands. */
TEST_C(ModelCommandLine, ClassifiesAPictureWithANetwork)
{
    char labels[text_size];
    if (skips()) return;
    if (test_platform_is_interpreted())
        SKIP_TEST("a run of the network takes minutes");
    char *lines = malloc(16 * 1000);
    size_t size = 0;
    for (int i = 0; i < 1000; i++)
        size += (size_t)snprintf(lines + size, 16, "class-%d\n", i);
    example_write(
            example_path(test_directory(), "labels.txt").text, lines, size);
    free(lines);
    static const char model[] =
            DNNL_CACHE_TEST_DATA_DIR "/onnx/networks/light_squeezenet.onnx";
    const char *const fill[] = {"--weights=random:1", "--prepare", NULL};
    EXPECT_EQ(0, run("fill", model, fill));
    const char *const top[] = {"--weights=random:1", "--cached-only",
            "--input=data_0=" PHOTO, "--top=5", "--labels",
            at(labels, "", "labels.txt"), NULL};
    const int status = run("top", model, top);
    if (!reads_pictures("top")) return;
    EXPECT_EQ(0, status);
    expect_says("top", "out", "top 5:\n   1.");
    expect_says("top", "out", "  class-");
    expect_says("top", "out", " 0 programs compiled");
}

/* ---- Constants ----------------------------------------------------------- */

/* The rate of the samples chooses a network, as in Silero's detector of voices.
 */
#define VOICE                                                          \
    "opset 16\ninput samples f32 1,4\ninput sr i64 -\n"                \
    "input state f32 1,2\n"                                            \
    "const r16 i64 - = 16000\nconst r8 i64 - = 8000\n"                 \
    "graph a\nconst w f32 4,2 = 1\nMatMul samples,w -> p\n"            \
    "Add p,state -> q\noutput q\nend\n"                                \
    "graph c\nconst v f32 4,2 = 2\nMatMul samples,v -> s\n"            \
    "Add s,state -> t\noutput t\nend\n"                                \
    "graph d\nNeg state -> u\noutput u\nend\n"                         \
    "graph b\nEqual sr,r8 -> e8\nIf e8 -> o then_branch=@c "           \
    "else_branch=@d\noutput o\nend\n"                                  \
    "Equal sr,r16 -> e16\nIf e16 -> h then_branch=@a else_branch=@b\n" \
    "Sigmoid h -> voice\nIdentity h -> new\noutput voice f32 1,2\n"    \
    "output new f32 1,2"

/* Of ramps: samples 0, 0.25, 0.5, 0.75, and a state of 0, 0.5. */
static void expect_voice(
        const char *model, const char *rate, float first, float second)
{
    char option[64];
    char file[text_size];
    float new[2] = {0};
    size_t size = 0;
    (void)snprintf(option, sizeof option, "--constant=sr=%s", rate);
    const char *const more[] = {
            option, "--output", at(file, "new", "new.raw"), NULL};
    EXPECT_EQ(0, run(rate, model, more));
    char *is = example_contents(
            example_path(test_directory(), "new.raw").text, &size);
    if (size == sizeof new) memcpy(new, is, sizeof new);
    free(is);
    EXPECT_EQ(sizeof new, size);
    EXPECT_TRUE(new[0] == first &&new[1] == second);
}

TEST_C(ModelCommandLine, FixesAnInput)
{
    if (skips()) return;
    const char *model = make_model("voice", VOICE);
    expect_voice(model, "16000", 1.5F, 2.0F);
    expect_says("16000", "out", "cold start, ready in ");
    expect_voice(model, "8000", 3.0F, 3.5F);
    expect_voice(model, "44100", 0.0F, -0.5F);
    expect_voice(model, "16000.0", 1.5F, 2.0F);
    expect_says("16000.0", "out", "warm start, ready in ");
    /* Without a rate all of them are computed: it is an input like others. */
    const char *const none[] = {NULL};
    EXPECT_EQ(0, run("open", model, none));
    expect_says("open", "out", "cold start, ready in ");
    const char *const wrong[] = {"--constant", "rate=16000", NULL};
    EXPECT_EQ(1, run("wrong", model, wrong));
    expect_says("wrong", "err", "no input 'rate'");
    const char *const part[] = {"--constant", "sr=1.5", NULL};
    EXPECT_EQ(1, run("part", model, part));
    expect_says("part", "err", "input 'sr': 1.5 is not a number of type i64");
}

/* Of an input with a value, or a dimension that no other input has. */
TEST_C(ModelCommandLine, ShapesAnInputThatItFixes)
{
    if (skips()) return;
    const char *model =
            make_model("gain", "opset 13\ninput x f32 1,4\ninput gain f32 ?n\n"
                               "Mul x,gain -> y\noutput y f32 1,4");
    const char *const shapes[] = {"gain=1", "n=1", "gain=4"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        float y[4] = {0};
        char file[text_size];
        size_t size = 0;
        const char *const more[] = {"--shape", shapes[i], "--constant",
                "gain=2", "--output", at(file, "y", "y.raw"), NULL};
        EXPECT_EQ(0, run("gain", model, more));
        char *is = example_contents(
                example_path(test_directory(), "y.raw").text, &size);
        if (size == sizeof y) memcpy(y, is, sizeof y);
        free(is);
        EXPECT_TRUE(y[0] == 0.0F && y[1] == 0.5F && y[3] == 1.5F);
    }
    const char *const wrong[] = {
            "--shape", "n=1", "--shape", "m=1", "--constant", "gain=2", NULL};
    EXPECT_EQ(1, run("wrong", model, wrong));
    expect_says("wrong", "err", "a shape is given for 'm'");
    const char *const many[] = {
            "--shape", "m=1x2", "--constant", "gain=2", NULL};
    EXPECT_EQ(1, run("many", model, many));
    expect_says("many", "err", "the model has no input 'm'");
}

/* "| head" is no failure. */
TEST_C(ModelCommandLine, IsQuietIfNobodyReads)
{
    const char *const argv[] = {"/bin/sh", "-c",
            "{ sleep 0.3; " MODEL_LOADER " --list-devices; echo $? >&2; } "
            "| true",
            NULL};
    EXPECT_EQ(0, example_run(test_directory(), "pipe", (char *const *)argv,
                         without_drivers));
    const char *const help[] = {"/bin/sh", "-c",
            "{ sleep 0.3; " MODEL_LOADER " --help; echo $? >&2; } | true",
            NULL};
    EXPECT_EQ(0, example_run(test_directory(), "help", (char *const *)help,
                         in_child));
    char *is = example_contents(
            example_file(test_directory(), "help", "err").text, NULL);
    EXPECT_STR_EQ("0\n", is);
    free(is);
}

/* What is wrong is named with its option, and what there is with what is not.
 */
TEST_C(ModelCommandLine, NamesTheOptionThatIsWrong)
{
    const char *model = make_model("named", COPY);
    const char *const top[] = {"--top", "x", NULL};
    EXPECT_EQ(2, run_as("top", model, top, without_drivers));
    expect_says("top", "err", "--top: no number from 0 to 1048576: x (");
}

/* Once is enough. */
TEST_C(ModelCommandLine, NamesAFileOnce)
{
    const struct example_path path = example_path(test_directory(), "no.onnx");
    const struct example_path store = example_path(test_directory(), "store");
    const char *const more[] = {"--store", store.text, NULL};
    EXPECT_EQ(1, run_as("missing", path.text, more, without_drivers));
    char *is = example_contents(
            example_file(test_directory(), "missing", "err").text, NULL);
    const char *first = strstr(is, path.text);
    EXPECT_NOT_NULL(first);
    if (first != NULL) EXPECT_NULL(strstr(first + 1, path.text));
    free(is);
}

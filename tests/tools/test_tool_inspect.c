/* SPDX-License-Identifier: Apache-2.0 */
/* What inspect writes of entries and files, and what it takes for which. */
#include "dnnl_cache/store.h"
#include "test.h"
#include "tool_helpers.h"

#include <dnnl_cache.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST_SAMPLE_STORE(ToolInspect, ShowsAnEntry)
{
    const struct made *m = &s->made[1];
    const struct run *run = run_tool("inspect", m->brief, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("entry               %s\n"
                          "ID                  %zu B\n"
                          "compile time        2.0 ms\n"
                          "created             2100-01-01 00:01\n"
                          "last use noted      2100-01-01 00:01\n"
                          "blob                477 B\n"
                          "kind                program\n"
                          "format version      1\n"
                          "sections            5\n"
                          "programs            1\n"
                          "kernels             1\n"
                          "binaries            13 B\n"
                          "binaries as stored  13 B\n"
                          "\n"
                          "section    size\n"
                          "id        128 B\n"
                          "programs   72 B\n"
                          "kernels    53 B\n"
                          "logs       35 B\n"
                          "binaries   13 B\n"
                          "\n"
                          "program  binary  as stored  codec  build log  "
                          "name of its ID\n"
                          "      0    13 B       13 B  none        34 B  "
                          "%s\n"
                          "\n"
                          "program  launch facts  kernel\n"
                          "      0           0 B  copy\n"
                          "\n"
                          "ingredient          value\n"
                          "library_version     0.1.0\n"
                          "device_name         Sample GPU\n"
                          "address_bits        64\n"
                          "driver_version      1.0\n"
                          "driver_environment  A=1\n"
                          "source              "
                          "34512ebf8c227e910fc930db1c338a6898252c49cf38bc96"
                          "5ad0e44c2abe10ff\n"
                          "build_options       -O2\n"
                          "\n"
                          "build log of program 0\n"
                          "  warning: a sample\n"
                          "  second \\x1b[1mline\n",
                          m->name, m->id_size, m->brief),
            run->out);
}

TEST_SAMPLE_STORE(ToolInspect, WritesJson)
{
    const struct made *m = &s->made[0];
    const struct run *run = run_tool("inspect", m->name, "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ(text_of("{\n"
                          "  \"command\": \"inspect\",\n"
                          "  \"file\": null,\n"
                          "  \"name\": \"%s\",\n"
                          "  \"compile_ns\": 1000000,\n"
                          "  \"created\": \"2100-01-01T00:00:00.000000000Z\",\n"
                          "  \"used\": \"2100-01-01T00:00:00.000000000Z\",\n"
                          "  \"blob\": {\n"
                          "    \"status\": \"success\",\n"
                          "    \"kind\": \"engine\",\n"
                          "    \"bytes\": 200,\n"
                          "    \"format_version\": 1,\n"
                          "    \"binary_bytes\": 0,\n"
                          "    \"stored_bytes\": 0,\n"
                          "    \"sections\": [\n"
                          "      {\n"
                          "        \"name\": \"id\",\n"
                          "        \"tag\": 16,\n"
                          "        \"bytes\": %zu\n"
                          "      },\n"
                          "      {\n"
                          "        \"name\": \"engine_facts\",\n"
                          "        \"tag\": 64,\n"
                          "        \"bytes\": 24\n"
                          "      }\n"
                          "    ],\n"
                          "    \"programs\": [],\n"
                          "    \"included_files\": []\n"
                          "  },\n"
                          "  \"id_bytes\": %zu,\n"
                          "  \"ingredients\": [\n"
                          "    {\n"
                          "      \"name\": \"library_version\",\n"
                          "      \"tag\": 257,\n"
                          "      \"text\": \"0.1.0\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"device_name\",\n"
                          "      \"tag\": 769,\n"
                          "      \"text\": \"Sample GPU\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"address_bits\",\n"
                          "      \"tag\": 775,\n"
                          "      \"hex\": \"40000000\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"driver_version\",\n"
                          "      \"tag\": 1281,\n"
                          "      \"text\": \"1.0\"\n"
                          "    },\n"
                          "    {\n"
                          "      \"name\": \"driver_environment\",\n"
                          "      \"tag\": 1283,\n"
                          "      \"text\": \"A=1\"\n"
                          "    }\n"
                          "  ]\n"
                          "}\n",
                          m->name, m->id_size, m->id_size),
            run->out);
}

/* A primitive of two programs, one of them compressed, and three kernels. */
TEST_C(ToolInspect, ShowsProgramsWithTheirKernelsAndCodecs)
{
    struct made m = read_blob("good-primitive");
    write_whole(in_test("a.blob"), m.blob, m.size);
    const struct run *run = run_tool("inspect", in_test("a.blob"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out,
            "\n"
            "section    size\n"
            "id        107 B\n"
            "programs  405 B\n"
            "kernels   168 B\n"
            "logs       19 B\n"
            "binaries   26 B\n"
            "\n"
            "program  binary  as stored  codec  build log  name of its ID\n"
            "      0    13 B       13 B  none        18 B  50f57cc43bd5\n"
            "      1   100 B       10 B  zstd         0 B  e374d388d60f\n"
            "\n"
            "program  launch facts  kernel\n"
            "      0           5 B  copy\n"
            "      1           0 B  fill\n"
            "      1           8 B  copy\n"
            "\n"));
    run = run_tool("inspect", in_test("a.blob"), "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out,
            "    \"programs\": [\n"
            "      {\n"
            "        \"name\": \"50f57cc43bd5d428bfbff3d49403c496\",\n"
            "        \"binary_bytes\": 13,\n"
            "        \"stored_bytes\": 13,\n"
            "        \"codec\": \"none\",\n"
            "        \"build_log\": \"warning: a sample\\n\",\n"
            "        \"kernels\": [\n"
            "          {\n"
            "            \"name\": \"copy\",\n"
            "            \"facts_bytes\": 5\n"
            "          }\n"
            "        ]\n"
            "      },\n"
            "      {\n"
            "        \"name\": \"e374d388d60f3d0f0777c84d40d00876\",\n"
            "        \"binary_bytes\": 100,\n"
            "        \"stored_bytes\": 10,\n"
            "        \"codec\": \"zstd\",\n"
            "        \"build_log\": \"\",\n"
            "        \"kernels\": [\n"
            "          {\n"
            "            \"name\": \"fill\",\n"
            "            \"facts_bytes\": 0\n"
            "          },\n"
            "          {\n"
            "            \"name\": \"copy\",\n"
            "            \"facts_bytes\": 8\n"
            "          }\n"
            "        ]\n"
            "      }\n"
            "    ],\n"
            "    \"included_files\": []\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, ShowsIncludedFiles)
{
    struct made m = read_blob("good-included");
    write_whole(in_test("a.blob"), m.blob, m.size);
    const struct run *run = run_tool("inspect", in_test("a.blob"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "included   63 B\n"));
    EXPECT_NOT_NULL(strstr(run->out,
            "digest                            included file\n"
            "39918a1f7d1347dff32439fea7083a14  tile.h\n"
            "0e5751c026e543b2e8ab2eb06099daa1  math/half.h\n"));
    run = run_tool("inspect", in_test("a.blob"), "--json", NULL);
    EXPECT_NOT_NULL(strstr(run->out,
            "      {\n"
            "        \"name\": \"math/half.h\",\n"
            "        \"digest\": \"0e5751c026e543b2e8ab2eb06099daa1\"\n"
            "      }\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, ShowsUserData)
{
    struct made m = read_blob("good-user-data");
    write_whole(in_test("a.blob"), m.blob, m.size);
    const struct run *run = run_tool("inspect", in_test("a.blob"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "logs        19 B\n"
                                     "user_data   18 B\n"
                                     "binaries    13 B\n"));
    run = run_tool("inspect", in_test("a.blob"), "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "        \"name\": \"user_data\",\n"
                                     "        \"tag\": 96,\n"
                                     "        \"bytes\": 18\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, ShowsFinalisedForms)
{
    struct made m = read_blob("good-finalised-alone");
    write_whole(in_test("a.blob"), m.blob, m.size);
    const struct run *run = run_tool("inspect", in_test("a.blob"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out,
            "program  finalised form     form  as stored  finaliser\n"
            "      0  beside the binary  11 B       11 B  sample 1\n"
            "      1  the binary itself   0 B        0 B  sample 2\n"));
    run = run_tool("inspect", in_test("a.blob"), "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(
            strstr(run->out, "        \"finaliser\": \"sample 1\",\n"
                             "        \"finalised_bytes\": 11,\n"
                             "        \"finalised_stored_bytes\": 11,\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, ShowsWhatABinaryIs)
{
    struct made m = make_program_with("Sample GPU", "intel-zebin-pvc-alone");
    char text[DNNL_CACHE_BINARY_TEXT_SIZE] = "untouched";
    EXPECT_OK(dnnl_cache_blob_get_binary_text(m.size, m.blob, 0, text));
    EXPECT_STR_EQ("Intel, pvc, without SPIR-V", text);
    EXPECT_EQ(dnnl_invalid_arguments,
            dnnl_cache_blob_get_binary_text(m.size, m.blob, 1, text));
    EXPECT_EQ(dnnl_cache_blob_corrupt,
            dnnl_cache_blob_get_binary_text(m.size - 1, m.blob, 0, text));
    EXPECT_STR_EQ("Intel, pvc, without SPIR-V", text);
    write_whole(in_test("a.blob"), m.blob, m.size);
    const struct run *run = run_tool("inspect", in_test("a.blob"), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\nprogram  what its binary is\n"
                                     "      0  Intel, pvc, without SPIR-V\n"));
    run = run_tool("inspect", in_test("a.blob"), "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(
            run->out, "        \"binary\": \"Intel, pvc, without SPIR-V\",\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, NeedsNoStoreForAFile)
{
    const char *path =
            text_of("%s/blobs/good-primitive.blob", DNNL_CACHE_TEST_DATA_DIR);
    char copy[path_size];
    snprintf(copy, sizeof copy, "%s", path);
    struct made m = read_blob("good-primitive");
    const struct run *run = run_tool("inspect", copy, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_STR_EQ("", run->err);
    EXPECT_NOT_NULL(strstr(run->out,
            text_of("file                %s\nname of its ID      %s\n", copy,
                    m.name)));
    EXPECT_NOT_NULL(strstr(run->out, "kind                primitive\n"
                                     "format version      1\n"
                                     "sections            5\n"
                                     "programs            2\n"
                                     "kernels             3\n"
                                     "binaries            113 B\n"
                                     "binaries as stored  23 B\n"));
    EXPECT_NOT_NULL(
            strstr(run->out, "build log of program 0\n  warning: a sample\n"));
    EXPECT_FALSE(exists(in_test("store")));

    write_whole(in_test("an.id"), m.id, m.id_size);
    run = run_tool("inspect", in_test("an.id"), "--json", NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "  \"blob\": null,\n"));
    EXPECT_NOT_NULL(strstr(run->out, "\"name\": \"op_desc\",\n"));
    made_fini(&m);
}

TEST_C(ToolInspect, TakesFilesOfAStoreApart)
{
    struct sample_store s;
    struct made m = make_engine("GPU", "1");
    char key[path_size];
    sample_store_make(&s);
    const char *file = blob_file("store", &s.made[2]);
    const struct run *run = run_tool("inspect", file, NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "store's trailer     64 B\n"));
    EXPECT_NOT_NULL(strstr(run->out, s.made[2].name));
    EXPECT_NOT_NULL(strstr(run->out, "driver_version      2.0\n"));
    EXPECT_EQ(exit_ok, run_tool("inspect", "--json", file, NULL)->code);
    flip_byte(file, 30);
    EXPECT_EQ(exit_found, run_tool("inspect", file, NULL)->code);
    /* With a keyed checksum. */
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    snprintf(key, sizeof key, "%s", in_test("key"));
    ASSERT_OK(dnnl_cache_store_key_file_make(key));
    options.key_file = key;
    options.path = in_test("signed");
    ASSERT_OK(dnnl_cache_store_open(&store, "bucket", &options));
    put_made(store, &m, 0);
    dnnl_cache_store_close(store);
    run = run_tool("inspect", blob_file("signed", &m), NULL);
    EXPECT_EQ(exit_ok, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "store's trailer     96 B\n"));
    made_fini(&m);
    sample_store_fini(&s);
}

TEST_C(ToolInspect, SaysWhyABlobIsNone)
{
    static const struct {
        const char *name;
        const char *status;
    } bad[] = {{"bad-checksum", "cache_blob_corrupt"},
            {"bad-magic", "cache_blob_corrupt"},
            {"bad-cut-header", "cache_blob_corrupt"},
            {"unsupported-version", "cache_blob_unsupported"},
            {"unsupported-kind", "cache_blob_unsupported"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char path[path_size];
        snprintf(path, sizeof path, "%s/blobs/%s.blob",
                DNNL_CACHE_TEST_DATA_DIR, bad[i].name);
        const struct run *run = run_tool("inspect", path, "--json", NULL);
        EXPECT_EQ(exit_found, run->code);
        EXPECT_NOT_NULL(
                strstr(run->out, text_of("\"status\": \"%s\"", bad[i].status)));
        EXPECT_NOT_NULL(strstr(run->out, "\"ingredients\": []"));
        EXPECT_NOT_NULL(strstr(run->err, bad[i].status));
        EXPECT_EQ(exit_found, run_tool("inspect", path, NULL)->code);
    }
    write_whole(in_test("empty.blob"), "", 0);
    EXPECT_EQ(
            exit_found, run_tool("inspect", in_test("empty.blob"), NULL)->code);
}

TEST_SAMPLE_STORE(ToolInspect, NamesTheTroubleWithAnArgument)
{
    const struct run *run = run_tool("inspect", "0123456789abcdef", NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ("dnnl-cache: 0123456789abcdef: no entry has this name (see "
                  "dnnl-cache list)\n",
            run->err);
    run = run_tool("inspect", "nonsense", NULL);
    EXPECT_EQ(exit_no_entry, run->code);
    EXPECT_STR_EQ("dnnl-cache: nonsense: neither the name of an entry nor a "
                  "file (see dnnl-cache list)\n",
            run->err);
    run = run_tool("inspect", "./nonsense", NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ(
            "dnnl-cache: ./nonsense: No such file or directory\n", run->err);
    run = run_tool("inspect", in_test("store"), NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ(text_of("dnnl-cache: %s: Is a directory (to name a store, "
                          "use --store PLACE)\n",
                          in_test("store")),
            run->err);
    EXPECT_EQ(exit_ok, run_tool("export", in_test("all"), NULL)->code);
    run = run_tool("inspect", in_test("all"), NULL);
    EXPECT_EQ(exit_usage, run->code);
    EXPECT_STR_EQ("", run->out);
    EXPECT_STR_EQ(text_of("dnnl-cache: %s: an archive, not a single entry: "
                          "import it into a store and inspect that\n",
                          in_test("all")),
            run->err);
    run = run_tool("inspect", "/dev/zero", NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_STR_EQ("", run->out);
}

TEST_C(ToolInspect, WantsAPrefixOfOneEntryOnly)
{
    /* Seventeen names: two of them begin with the same digit. */
    struct made made[17];
    char first[17];
    dnnl_cache_store_handle_t *store = open_test_store("store");
    for (int i = 0; i < 17; i++) {
        char source[16];
        snprintf(source, sizeof source, "%d", i);
        made[i] = make_program("d", "1", source, "", NULL);
        first[i] = made[i].name[0];
        put_made(store, &made[i], 0);
    }
    dnnl_cache_store_close(store);
    for (int i = 0; i < 17; i++) {
        const char digit[2] = {first[i], '\0'};
        int same = 0;
        for (int j = 0; j < 17; j++)
            same += first[j] == first[i];
        const struct run *run = run_tool("inspect", digit, NULL);
        EXPECT_EQ(same > 1 ? exit_no_entry : exit_ok, run->code);
        if (same > 1) EXPECT_NOT_NULL(strstr(run->err, "more than one entry"));
        /* Digits in capitals are digits. */
        char upper[33];
        for (int j = 0; j < 33; j++)
            upper[j] = (char)(made[i].name[j] >= 'a' ? made[i].name[j] - 32
                                                     : made[i].name[j]);
        run = run_tool("inspect", upper, NULL);
        EXPECT_EQ(exit_ok, run->code);
        EXPECT_NOT_NULL(strstr(run->out, made[i].name));
    }
    for (int i = 0; i < 17; i++)
        made_fini(&made[i]);
}

TEST_SAMPLE_STORE(ToolInspect, TakesAFileForAFileWhateverItsName)
{
    char *before = getcwd(NULL, 0);
    ASSERT_EQ(0, chdir(test_directory()));
    write_whole("cafe", s->made[2].blob, s->made[2].size);
    write_whole("-x.blob", s->made[2].blob, s->made[2].size);
    EXPECT_NOT_NULL(strstr(run_tool("inspect", "cafe", NULL)->out, "file "));
    EXPECT_EQ(exit_ok, run_tool("inspect", "./cafe", NULL)->code);
    EXPECT_EQ(exit_usage, run_tool("inspect", "-x.blob", NULL)->code);
    EXPECT_EQ(exit_ok, run_tool("inspect", "--", "-x.blob", NULL)->code);
    ASSERT_EQ(0, chdir(before));
    free(before);
}

TEST_C(ToolInspect, DoesNotWaitForAPipe)
{
    char path[path_size];
    snprintf(path, sizeof path, "%s", in_test("pipe"));
    EXPECT_EQ(0, mkfifo(path, 0600));
    alarm(120);
    EXPECT_EQ(exit_io, run_bare("inspect", path, NULL)->code);
    alarm(0);
}

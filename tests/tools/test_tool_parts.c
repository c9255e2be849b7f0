/* SPDX-License-Identifier: Apache-2.0 */
/* Units, text, JSON and tables, without any store. */
#include "test.h"
#include "tool_helpers.h"
#include "tools/common/text/json.h"
#include "tools/common/text/text.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/base/cut.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/jobs/note_kernels.h"

#include <stdlib.h>
#include <string.h>

TEST_C(ToolUnits, ReadSizes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0}, {"1", 1}, {"17B", 17}, {"1K", 1024}, {"1k", 1024},
            {"1KiB", 1024}, {"1KB", 1000}, {"10M", 10485760}, {"2MB", 2000000},
            {"1.5GiB", 1610612736}, {"0.5T", UINT64_C(549755813888)},
            {"1.000001KB", 1000}, {"18446744073709551615", UINT64_MAX},
            {"16777215T", UINT64_C(16777215) << 40}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 7;
        EXPECT_TRUE(units_parse_size(&bytes, good[i].text));
        EXPECT_EQ(good[i].bytes, bytes);
    }
}

TEST_C(ToolUnits, RefuseSizesThatAreNone)
{
    static const char *const bad[] = {"", "K", "-1", "+1", " 1", "1 ", "1 K",
            "1.", ".5K", "1.5", "1.5B", "1X", "1KK", "1iB", "0x10", "1e3",
            "1.1234567M", "18446744073709551616", "16777216T", "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes = 7;
        if (units_parse_size(&bytes, bad[i]))
            test_fail(__FILE__, __LINE__, "taken: \"%s\"", bad[i]);
        EXPECT_EQ(7, bytes);
    }
}

TEST_C(ToolUnits, ReadAges)
{
    uint64_t s = 0;
    EXPECT_TRUE(units_parse_age(&s, "90s") && s == 90);
    EXPECT_TRUE(units_parse_age(&s, "30m") && s == 1800);
    EXPECT_TRUE(units_parse_age(&s, "12h") && s == 43200);
    EXPECT_TRUE(units_parse_age(&s, "30d") && s == 2592000);
    EXPECT_TRUE(units_parse_age(&s, "2w") && s == 1209600);
    static const char *const bad[] = {"", "30", "0s", "0d", "d", "-1d", "1.5d",
            "1y", "1dd", "1d ", "30500568904944w"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (units_parse_age(&s, bad[i]))
            test_fail(__FILE__, __LINE__, "taken: \"%s\"", bad[i]);
    EXPECT_EQ(1209600, s);
}

TEST_C(ToolUnits, WriteSizes)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } all[] = {{0, "0 B"}, {1023, "1023 B"}, {1024, "1.0 KiB"},
            {1536, "1.5 KiB"}, {1048575, "1.0 MiB"}, {1048576, "1.0 MiB"},
            {UINT64_C(3) << 40, "3.0 TiB"}, {UINT64_MAX, "16384.0 PiB"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[units_text_size];
        units_print_size(text, all[i].bytes);
        EXPECT_STR_EQ(all[i].text, text);
    }
}

TEST_C(ToolUnits, WriteDurations)
{
    static const struct {
        uint64_t ns;
        const char *text;
    } all[] = {{0, "-"}, {900, "0.9 us"}, {412000000, "412.0 ms"},
            {UINT64_C(999960000), "1.00 s"}, {UINT64_C(3250000000), "3.25 s"},
            {UINT64_C(600000000000), "10.0 min"},
            {UINT64_C(36000000000000), "10.0 h"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[units_text_size];
        units_print_duration(text, all[i].ns);
        EXPECT_STR_EQ(all[i].text, text);
    }
}

TEST_C(ToolUnits, WriteTimes)
{
    char text[units_text_size];
    setenv("TZ", "UTC", 1);
    units_print_time(text, TEST_EPOCH_NS);
    EXPECT_STR_EQ("2100-01-01 00:00", text);
    units_print_time(text, 0);
    EXPECT_STR_EQ("-", text);
    units_print_utc(text, TEST_EPOCH_NS + 1);
    EXPECT_STR_EQ("2100-01-01T00:00:00.000000001Z", text);
    units_print_utc(text, UINT64_MAX);
    EXPECT_STR_EQ("2554-07-21T23:34:33.709551615Z", text);
}

/* ---- Text ---------------------------------------------------------------- */

static void expect_shown(const char *expected, const char *bytes, size_t size)
{
    char *shown = text_printable(bytes, size);
    EXPECT_STR_EQ(expected, shown);
    free(shown);
}

TEST_C(ToolText, ShowsNothingThatATerminalObeys)
{
    expect_shown("", "", 0);
    expect_shown("plain", "plain", 5);
    expect_shown("a\\nb\\tc", "a\nb\tc", 5);
    expect_shown("\\x1b[31m\\x00", "\033[31m", 6);
    expect_shown("\\x7f", "\x7f", 1);
    expect_shown("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9);
    expect_shown("\\xc2\\x9b", "\xc2\x9b", 2); /* the one-byte CSI */
    expect_shown("\\xff\\xc3", "\xff\xc3", 2);
    expect_shown("\\xc0\\xaf", "\xc0\xaf", 2);          /* too long */
    expect_shown("\\xe0\\x80\\xaf", "\xe0\x80\xaf", 3); /* too long */
    expect_shown("\\xed\\xa0\\x80", "\xed\xa0\x80", 3); /* half a pair */
    expect_shown("\\xf4\\x90\\x80\\x80", "\xf4\x90\x80\x80", 4);
}

static void expect_json(const char *expected, const char *bytes, size_t size)
{
    char *text = NULL;
    size_t text_size;
    struct json json;
    FILE *out = open_memstream(&text, &text_size);
    json_init(&json, out);
    json_bytes(&json, NULL, bytes, size);
    fclose(out);
    EXPECT_STR_EQ(expected, text);
    EXPECT_TRUE(json_is_valid(text, text_size));
    free(text);
}

TEST_C(ToolJson, EscapesTexts)
{
    expect_json("\"\"", "", 0);
    expect_json("\"a\\\"b\\\\c/\"", "a\"b\\c/", 6);
    expect_json("\"\\n\\t\\u0000\\u001b\\u007f\"", "\n\t\0\033\x7f", 5);
    expect_json("\"\xc3\xa4\\u009b\"", "\xc3\xa4\xc2\x9b", 4);
    expect_json("\"\\ufffd\\ufffd!\"", "\xff\xc3!", 3);
}

TEST_C(ToolJson, NestsObjectsAndArrays)
{
    char *text = NULL;
    size_t size;
    struct json json;
    FILE *out = open_memstream(&text, &size);
    json_init(&json, out);
    json_begin_object(&json, NULL);
    json_begin_array(&json, "none");
    json_end_array(&json);
    json_begin_array(&json, "some");
    json_begin_object(&json, NULL);
    json_number(&json, "most", UINT64_MAX);
    json_bool(&json, "yes", true);
    json_end_object(&json);
    json_null(&json, NULL);
    json_end_array(&json);
    json_hex(&json, "hex", (const uint8_t *)"\x01\xab", 2);
    json_text(&json, "gone", NULL);
    json_time(&json, "when", 0);
    json_end_object(&json);
    fclose(out);
    EXPECT_STR_EQ("{\n"
                  "  \"none\": [],\n"
                  "  \"some\": [\n"
                  "    {\n"
                  "      \"most\": 18446744073709551615,\n"
                  "      \"yes\": true\n"
                  "    },\n"
                  "    null\n"
                  "  ],\n"
                  "  \"hex\": \"01ab\",\n"
                  "  \"gone\": null,\n"
                  "  \"when\": null\n"
                  "}\n",
            text);
    EXPECT_TRUE(json_is_valid(text, size));
    free(text);
}

TEST_C(ToolJson, CheckOfTheTestsIsStrict)
{
    static const char *const bad[] = {"", "{", "{}x", "{\"a\"}", "[1,]",
            "{\"a\":1,}", "[01]", "\"\\x\"", "\"\n\"", "\"\xff\"", "'a'",
            "[1 2]", "nul", "\"\\u12\""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        TEST_CHECK_(
                !json_is_valid(bad[i], strlen(bad[i])), , "taken: %s", bad[i]);
}

/* ---- Tables -------------------------------------------------------------- */

TEST_C(ToolTable, AlignsByCharacters)
{
    static const char *const headers[] = {"name", ">size", "last"};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct tool tool = {.out = out, .err = out};
    struct table table;
    table_init(&table, 3, headers);
    table_add(&table, "\xc3\xa4\xc3\xb6");
    table_add_number(&table, 5);
    table_add(&table, "x\ny");
    table_add(&table, "longer");
    table_add_size(&table, 12345);
    table_add(&table, "");
    EXPECT_EQ(exit_ok, table_write(&table, &tool));
    table_fini(&table);
    fclose(out);
    EXPECT_STR_EQ("name        size  last\n"
                  "\xc3\xa4\xc3\xb6             5  x\\ny\n"
                  "longer  12.1 KiB  \n",
            text);
    free(text);
}

/* ---- Fitting ------------------------------------------------------------- */

static void expect_cut(const char *expected, char *cut)
{
    EXPECT_STR_EQ(expected, cut);
    free(cut);
}

TEST_C(ToolCut, CutsCharactersAndCountsNames)
{
    expect_cut("abc", cut_text("abc", 3));
    expect_cut("a...", cut_text("abcde", 4));
    expect_cut("..", cut_text("abcde", 2));
    expect_cut("\xc3\xa4\xc3\xb6...",
            cut_text("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 5));
    expect_cut("aa, bb", cut_list("aa, bb", "kernels", 6));
    expect_cut("3 kernels: aaaa, bbbb, ...",
            cut_list("aaaa, bbbb, cccccccccccccccc", "kernels", 26));
    expect_cut("3 kernels: aaaa, ...",
            cut_list("aaaa, bbbb, cccccccccccccccc", "kernels", 25));
    expect_cut("3 kernels: a...",
            cut_list("aaaa, bbbb, cccccccccccccccc", "kernels", 15));
    expect_cut("alone_...", cut_list("alone_and_long", "kernels", 9));
}

/* Rows of a table, as they are on a terminal of so many characters. */
static void expect_fits(size_t room, const char *rows, const char *told)
{
    static const char *const headers[] = {
            "name", ">size", "day", "~options", "+kernels"};
    static const size_t order[] = {2, 1};
    struct options options = {.quiet = false};
    char *text = NULL, *said = NULL;
    size_t size, said_size;
    FILE *out = open_memstream(&text, &size);
    FILE *err = open_memstream(&said, &said_size);
    struct tool tool = {.options = &options, .out = out, .err = err};
    struct table table;
    table_init(&table, 5, headers);
    table_add(&table, "n1");
    table_add(&table, "12");
    table_add(&table, "Monday");
    table_add(&table, "-cl-fast-relaxed-math -DN=1");
    table_add(&table, "one, two, three, four, five, six");
    table_fit(&table, &tool, room, order, 2);
    EXPECT_EQ(exit_ok, table_write(&table, &tool));
    table_fini(&table);
    (void)fclose(out);
    (void)fclose(err);
    EXPECT_STR_EQ(rows, text);
    EXPECT_STR_EQ(told, said);
    free(text);
    free(said);
}

TEST_C(ToolTable, FitsATerminal)
{
    static const char all[] =
            "name  size  day     options                      kernels\n"
            "n1      12  Monday  -cl-fast-relaxed-math -DN=1  "
            "one, two, three, four, five, six\n";
    expect_fits(0, all, "");
    expect_fits(81, all, "");
    expect_fits(60,
            "name  size  day     options              kernels\n"
            "n1      12  Monday  -cl-fast-relaxed...  "
            "6 kernels: one, ...\n",
            "");
    expect_fits(50,
            "name  size  options             kernels\n"
            "n1      12  -cl-fast-relaxe...  6 kernels: one...\n",
            "dnnl-cache: left out, since the terminal has 50 columns: day "
            "(--json has all)\n");
    expect_fits(40,
            "name  options           kernels\n"
            "n1    -cl-fast-rela...  6 kernels: on...\n",
            "dnnl-cache: left out, since the terminal has 40 columns: day, "
            "size (--json has all)\n");
}

/* A long header is cut before what is below another. */
TEST_C(ToolTable, CutsHeadersFirst)
{
    static const char *const headers[] = {
            "~implementation or options", "+kernels"};
    struct options options = {.quiet = true};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct tool tool = {.options = &options, .out = out, .err = out};
    struct table table;
    table_init(&table, 2, headers);
    table_add(&table, "-O2");
    table_add(&table, "one, two, three, four");
    table_fit(&table, &tool, 40, NULL, 0);
    EXPECT_EQ(exit_ok, table_write(&table, &tool));
    table_fini(&table);
    (void)fclose(out);
    EXPECT_STR_EQ("implementatio...  kernels\n"
                  "-O2               one, two, three, four\n",
            text);
    free(text);
}

/* ---- Kernels of a note --------------------------------------------------- */

static void expect_kernels(const char *expected, const char *source)
{
    char text[note_kernels_size];
    const size_t size = strlen(source);
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note.source_count = 1;
    note.sources = &source;
    note.source_sizes = &size;
    note_kernels_print(text, &note);
    EXPECT_STR_EQ(expected, text);
}

TEST_C(NoteKernels, AreListedForTables)
{
    static const char source[] = "kernel void a() {} kernel void b() {}";
    const char *sources[] = {source};
    const size_t size = sizeof source - 1;
    char text[note_kernels_size];
    dnnl_cache_note_t note = DNNL_CACHE_NOTE_INIT;
    note_kernels_list(text, &note);
    EXPECT_STR_EQ("", text);
    note.source_count = 1;
    note.sources = sources;
    note.source_sizes = &size;
    note_kernels_list(text, &note);
    EXPECT_STR_EQ("a, b", text);
}

TEST_C(NoteKernels, AreThoseOfTheSource)
{
    expect_kernels("", "");
    expect_kernels("", "float f(float x) { return x; }");
    expect_kernels("", "kernel");
    expect_kernels(" (kernels f)", "kernel void f(global int *x) { g(x); }");
    expect_kernels(" (kernels f)",
            "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
            "void f (global int *x) {}");
    expect_kernels(" (kernels g)",
            "/* kernel void e(int x) */ // kernel void f(\nkernel void g() {}");
    expect_kernels(" (kernels a, b, c, ...)",
            "kernel void a(){} kernel void b(){} kernel void c(){}\n"
            "kernel void d(){}");
    expect_kernels(" (kernels aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)",
            "kernel void "
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa() {}");
    expect_kernels("", "kernel void __attribute__((");
    expect_kernels("", "kernel /* no end");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What identity diff says of two machines, and the reader of its files. */
#include "test.h"
#include "tool_helpers.h"
#include "tools/common/text/json_tree.h"

#include <stdlib.h>
#include <string.h>

static const char machine[] =
        "{\"command\": \"identity\", \"devices\": [{\"platform\": \"P\", "
        "\"device\": \"D\", \"has_identity\": true, \"fields\": ["
        "{\"name\": \"library_git_hash\", \"text\": \"%s\"}, "
        "{\"name\": \"driver_components\", \"hex\": \"%s\"}, "
        "{\"name\": \"driver_environment\", \"text\": \"%s\"}, "
        "{\"name\": \"driver_environment\", \"text\": \"B=2\"}], "
        "\"driver_parts\": ["
        "{\"name\": \"libc.so.6\", \"how\": \"build-id\", \"digest\": \"%s\", "
        "\"bytes\": 12, \"counts\": true, \"why_not\": null}, "
        "{\"name\": \"libz.so.1\", \"how\": \"build-id\", \"digest\": \"%s\", "
        "\"bytes\": -1.5e3, \"counts\": false, \"why_not\": \"idle\"}]}]}";

static const char *write_machine(const char *name, const char *commit,
        const char *components, const char *variable, const char *c,
        const char *z)
{
    char text[2048];
    const int size = snprintf(
            text, sizeof text, machine, commit, components, variable, c, z);
    write_whole(in_test(name), text, (size_t)size);
    return in_test(name);
}

static const char *usual(const char *name)
{
    return write_machine(name, "g", "00", "A=1", "c", "z");
}

static void expect_diff(int code, const char *out, const char *a, const char *b)
{
    const struct run *run = run_bare("identity", "diff", a, b, NULL);
    EXPECT_STR_EQ("", run->err);
    EXPECT_STR_EQ(text_of("A: %s\nB: %s\nD (P)\n%s", a, b, out), run->out);
    EXPECT_EQ(code, run->code);
    run = run_bare("identity", "diff", a, b, "--json", NULL);
    EXPECT_EQ(code, run->code);
    EXPECT_TRUE(json_is_valid(run->out, run->out_size));
    EXPECT_NOT_NULL(strstr(run->out, code == exit_ok ? "\"same\": true"
                                                     : "\"same\": "
                                                       "false"));
}

TEST_C(ToolIdentity, EqualMachinesShare)
{
    expect_diff(exit_ok, "  entries are shared\n", usual("a"), usual("b"));
}

TEST_C(ToolIdentity, PartsThatDoNotCountAreToldAndShare)
{
    expect_diff(exit_ok,
            "  not counted: libz.so.1\n    A: build-id z\n    B: build-id y\n"
            "  entries are shared\n",
            usual("a"), write_machine("b", "g", "00", "A=1", "c", "y"));
}

TEST_C(ToolIdentity, PartsThatCountAreToldInPlaceOfTheirDigest)
{
    expect_diff(exit_found,
            "  driver: libc.so.6\n    A: build-id c\n    B: build-id d\n"
            "  no entry of one is used on the other\n",
            usual("a"), write_machine("b", "g", "11", "A=1", "d", "z"));
    /* Of equal parts the digest is all there is. */
    expect_diff(exit_found,
            "  field: driver_components\n    A: 00\n    B: 11\n"
            "  no entry of one is used on the other\n",
            usual("a"), write_machine("b", "g", "11", "A=1", "c", "z"));
}

TEST_C(ToolIdentity, AnotherLibraryCountsForItsOwnObjects)
{
    expect_diff(exit_found,
            "  field of engines and primitives: library_git_hash\n"
            "    A: g\n    B: h\n"
            "  programs of applications are shared, engines and primitives "
            "are not\n",
            usual("a"), write_machine("b", "h", "00", "A=1", "c", "z"));
}

TEST_C(ToolIdentity, VariablesAreComparedByName)
{
    expect_diff(exit_found,
            "  field: driver_environment\n    A: A=1\n    B: A=3\n"
            "  no entry of one is used on the other\n",
            usual("a"), write_machine("b", "g", "00", "A=3", "c", "z"));
    expect_diff(exit_found,
            "  field: driver_environment\n    A: A=1\n    B: none\n"
            "  field: driver_environment\n    A: none\n    B: C=1\n"
            "  no entry of one is used on the other\n",
            usual("a"), write_machine("b", "g", "00", "C=1", "c", "z"));
}

static const char *write_fields(const char *name, const char *values)
{
    char text[2048];
    size_t at = (size_t)snprintf(text, sizeof text,
            "{\"command\": \"identity\", \"devices\": [{\"platform\": \"P\", "
            "\"device\": \"D\", \"has_identity\": true, \"fields\": [0");
    for (const char *v = values; *v != '\0'; v++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                ", {\"name\": \"%s\", \"text\": \"%c\"}",
                *v >= 'a' ? "letter" : "number", *v);
    at += (size_t)snprintf(text + at, sizeof text - at, "]}]}");
    write_whole(in_test(name), text, at);
    return in_test(name);
}

/* Of several of one name those that are in both are left out; the others are
 * told side by side, in the order of A. */
TEST_C(ToolIdentity, SeveralOfOneNameAreComparedInTheirOrder)
{
    expect_diff(exit_found,
            "  field: number\n    A: 5\n    B: 2\n"
            "  field: number\n    A: 1\n    B: 7\n"
            "  field: letter\n    A: x\n    B: none\n"
            "  field: number\n    A: none\n    B: 6\n"
            "  no entry of one is used on the other\n",
            write_fields("a", "5b31xa3"), write_fields("b", "2a37b6"));
}

/* The first of several equal ones is compared. */
TEST_C(ToolIdentity, DevicesAreFoundByPlatformAndName)
{
    static const char a[] =
            "{\"command\":\"identity\",\"devices\":["
            "{\"platform\":\"P\",\"device\":\"E\",\"has_identity\":true},"
            "{\"platform\":\"Q\",\"device\":\"D\",\"has_identity\":true}]}";
    static const char b[] =
            "{\"command\":\"identity\",\"devices\":["
            "{\"platform\":\"Q\",\"device\":\"E\",\"has_identity\":true},"
            "{\"platform\":\"Q\",\"device\":\"D\",\"has_identity\":true},"
            "{\"platform\":\"Q\",\"device\":\"D\",\"has_identity\":false}]}";
    write_whole(in_test("a"), a, strlen(a));
    write_whole(in_test("b"), b, strlen(b));
    const struct run *run =
            run_bare("identity", "diff", in_test("a"), in_test("b"), NULL);
    EXPECT_STR_EQ(text_of("A: %s\nB: %s\nE (P)\n  only A has this device\n"
                          "D (Q)\n  entries are shared\n"
                          "E (Q)\n  only B has this device\n",
                          in_test("a"), in_test("b")),
            run->out);
    EXPECT_EQ(exit_found, run->code);
}

TEST_C(ToolIdentity, DeviceOfOneMachineOnlyIsADifference)
{
    static const char none[] = "{\"command\":\"identity\",\"devices\":[]}";
    write_whole(in_test("none"), none, strlen(none));
    expect_diff(exit_found, "  only A has this device\n", usual("a"),
            in_test("none"));
    expect_diff(exit_found, "  only B has this device\n", in_test("none"),
            usual("a"));
}

/* A gate must not take two machines without a driver for equal ones. */
TEST_C(ToolIdentity, MachinesWithoutDevicesShareNothing)
{
    static const char none[] = "{\"command\":\"identity\",\"devices\":[]}";
    write_whole(in_test("none"), none, strlen(none));
    const struct run *run = run_bare("identity", "diff", in_test("none"),
            in_test("none"), "--json", NULL);
    EXPECT_EQ(exit_found, run->code);
    EXPECT_NOT_NULL(strstr(run->out, "\"same\": false"));
    EXPECT_NOT_NULL(strstr(run->err, "neither has an OpenCL device"));
}

TEST_C(ToolIdentity, FilesThatAreNoReportsAreNamed)
{
    static const char other[] = "{\"command\":\"stats\",\"devices\":[]}";
    const char *path = in_test("other");
    write_whole(path, other, strlen(other));
    const struct run *run =
            run_bare("identity", "diff", path, usual("b"), NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "not a report of dnnl-cache identity"));
    run = run_bare("identity", "diff", in_test("absent"), path, NULL);
    EXPECT_EQ(exit_io, run->code);
    EXPECT_NOT_NULL(strstr(run->err, "No such file"));
    EXPECT_EQ(exit_usage, run_bare("identity", "diff", NULL)->code);
    EXPECT_EQ(exit_usage, run_bare("identity", "other", path, NULL)->code);
}

/* ---- The reader ---------------------------------------------------------- */

static bool is_document(const char *text, size_t size)
{
    struct json_tree tree;
    /* As large as it is, so that a sanitizer sees a byte too many. */
    char *copy = malloc(size > 0 ? size : 1);
    if (size > 0) memcpy(copy, text, size);
    EXPECT_TRUE(json_tree_read(&tree, copy, size));
    const bool is = tree.root != NULL;
    json_tree_fini(&tree);
    free(copy);
    return is;
}

TEST_C(JsonTree, ReadsValuesOfEveryType)
{
    static const char text[] =
            " {\"a\":[1,-2.5E+3,true,false,null,\"\"],\"b\":{\"c\":"
            "\"\\u00e9\\ud83d\\ude00\\n\\\"x\"},\"d\":[],\"e\":{}} ";
    struct json_tree tree;
    EXPECT_TRUE(json_tree_read(&tree, text, strlen(text)));
    ASSERT_NOT_NULL(tree.root);
    static const char *const words[] = {
            "1", "-2.5E+3", "true", "false", "", ""};
    const struct json_node *n = json_tree_get(tree.root, "a")->first;
    for (size_t i = 0; i < 6; i++, n = n->next)
        EXPECT_STR_EQ(words[i], n->text);
    EXPECT_TRUE(n == NULL);
    EXPECT_STR_EQ("\xc3\xa9\xf0\x9f\x98\x80\n\"x",
            json_tree_get_text(json_tree_get(tree.root, "b"), "c"));
    EXPECT_TRUE(json_tree_get(tree.root, "d")->first == NULL);
    EXPECT_EQ(json_type_object, json_tree_get(tree.root, "e")->type);
    EXPECT_STR_EQ("", json_tree_get_text(tree.root, "absent"));
    json_tree_fini(&tree);
}

TEST_C(JsonTree, RefusesWhatIsNoDocument)
{
    static const char *const wrong[] = {"", " ", "{", "[1,]", "{\"a\"}",
            "{\"a\":}", "01", "1.", "1e", "-", "+1", "tru", "\"\\x\"",
            "\"\\u12\"", "\"\\ud800\"", "\"\\udc00\"", "\"\n\"", "\"\xff\"",
            "1 2", "{a:1}", "nul", "[1 2]", "'a'"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (is_document(wrong[i], strlen(wrong[i])))
            test_fail(__FILE__, __LINE__, "accepted: %s", wrong[i]);
    EXPECT_FALSE(is_document("1\0", 2));
    char deep[200];
    memset(deep, '[', 100);
    memset(deep + 100, ']', 100);
    EXPECT_FALSE(is_document(deep, 200));
    EXPECT_TRUE(is_document(deep + 70, 60));
}

TEST_C(JsonTree, NoPartOfADocumentIsOne)
{
    const size_t size = strlen(machine);
    EXPECT_TRUE(is_document(machine, size));
    for (size_t i = 0; i < size; i++)
        EXPECT_FALSE(is_document(machine, i));
    /* Whatever a byte becomes, nothing else is read. */
    char *changed = strdup(machine);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++) {
            changed[i] ^= (char)(1 << bit);
            (void)is_document(changed, size);
            changed[i] = machine[i];
        }
    free(changed);
}

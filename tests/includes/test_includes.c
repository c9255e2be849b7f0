/* SPDX-License-Identifier: Apache-2.0 */
#include "include_helpers.h"
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

TEST_C(Includes, FindNothingInNothing)
{
    const struct includes a = follow(NULL, "kernel void f() {}\n");
    const struct includes b = follow("-DA -I/none", "");
    EXPECT_EQ(0, a.count);
    EXPECT_TRUE(same_digest(&a, &b));
}

TEST_FILES(Includes, ChangeTheDigestWithAFile)
{
    put_file("inc/a.h", "#define A 1\n");
    EXPECT_EQ(1, follow("-I inc", "#include \"a.h\"\n").count);
    const struct includes first = follow("-I inc", "#include \"a.h\"\n");
    EXPECT_TRUE(writing_changes(
            "inc/a.h", "#define A 2\n", "-I inc", "#include \"a.h\"\n"));
    put_file("inc/a.h", "#define A 1\n");
    const struct includes again = follow("-I inc", "#include \"a.h\"\n");
    EXPECT_TRUE(same_digest(&first, &again));
}

TEST_FILES(Includes, AreFollowedInEachForm)
{
    static const char *const sources[] = {"#include \"a.h\"\n",
            "#include <a.h>\n", "#import \"a.h\"\n", "#import <a.h>",
            "int x;\r\n#include \"a.h\"\r\n", " # /* */ include /* */ <a.h>",
            "#inclu\\\nde \"a.h\"\n", "#if 0\n#include \"a.h\"\n#endif\n"};
    put_file("inc/a.h", "0");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        char text[20];
        snprintf(text, sizeof text, "%zu", i + 1);
        EXPECT_TRUE(writing_changes("inc/a.h", text, "-Iinc", sources[i]));
    }
}

TEST_C(Includes, AreNotFollowedInComments)
{
    EXPECT_EQ(0,
            follow(NULL, "// #include \"a.h\"\n/*\n#include <b.h>\n*/").count);
    EXPECT_EQ(0, follow(NULL, "constant char t[] = \"#include <a.h>\";").count);
}

TEST_FILES(Includes, AreFollowedTransitively)
{
    put_file("inc/a.h", "#include \"sub/b.h\"\n");
    put_file("inc/sub/b.h", "#include \"c.h\"\n#include <d.h>\n");
    put_file("inc/sub/c.h", "c");
    put_file("inc/d.h", "d");
    const char *source = "#include \"a.h\"\n";
    EXPECT_EQ(4, follow("-Iinc", source).count);
    EXPECT_TRUE(writing_changes("inc/sub/c.h", "C", "-Iinc", source));
    EXPECT_TRUE(writing_changes("inc/d.h", "D", "-Iinc", source));
    EXPECT_TRUE(writing_changes("inc/sub/b.h",
            "#include \"c.h\"\n#include <d.h>\n ", "-Iinc", source));
    remove_file("inc/d.h");
    EXPECT_TRUE(refuses("inc/sub/b.h includes d.h", "-Iinc", source));
}

/* One file has the macro, another text the assembly. */
TEST_FILES(Includes, AreUnknownToAssemblyOfStringsThatMacrosMake)
{
    put_file("inc/a.h", "#define S(x) #x\n");
    put_file("inc/b.h", "asm(S(.) S(inc) S(bin));\n");
    EXPECT_EQ(1, follow("-Iinc", "#include \"a.h\"\n").count);
    EXPECT_EQ(1, follow("-Iinc", "#include \"b.h\"\n").count);
    EXPECT_TRUE(refuses("assembly may be of what S makes", "-Iinc",
            "#include \"a.h\"\n#include \"b.h\"\n"));
    EXPECT_TRUE(refuses("assembly may be of what S makes", "-Iinc",
            "#include \"a.h\"\nasm(S(.) S(inc) S(bin));\n"));
    EXPECT_TRUE(refuses("assembly may be of what S makes", "-D S(x)=#x",
            "asm(S(.) S(inc) S(bin));\n"));
    EXPECT_EQ(0, follow("-D S(x)=#x", "constant char t[] = S(a);\n").count);
}

TEST_FILES(Includes, MayFormCycles)
{
    put_file("inc/a.h", "#include \"../inc/./b.h\"\n#include \"a.h\"\n");
    put_file("inc/b.h", "#include \"../inc/a.h\"\n#include \"./b.h\"\n");
    EXPECT_EQ(2, follow("-Iinc", "#include \"a.h\"\n#include <b.h>\n").count);
    EXPECT_TRUE(writing_changes("inc/b.h", "#include \"../inc/a.h\"\n", "-Iinc",
            "#include \"a.h\"\n#include <b.h>\n"));
}

TEST_FILES(Includes, AreReadOnceByWhateverPath)
{
    char options[5000];
    put_file("a.h", "a");
    snprintf(options, sizeof options, "-I. -I%s -I ./", test_directory());
    EXPECT_EQ(1, follow(options, "#include <a.h>\n#include \"./a.h\"\n").count);
}

/* A driver may have read what a file was between two looks at it. */
TEST_FILES(Includes, TellOfAFileThatWasAnotherForAWhile)
{
    const char *source = "#include \"a.h\"\n";
    put_file("a.h", "1");
    const struct includes before = follow(NULL, source);
    const struct includes again = follow(NULL, source);
    EXPECT_BYTES_EQ(
            before.stamp, sizeof before.stamp, again.stamp, sizeof again.stamp);
    put_file("same.h", "1");
    ASSERT_EQ(0, rename("same.h", "a.h"));
    const struct includes after = follow(NULL, source);
    EXPECT_TRUE(same_digest(&before, &after));
    EXPECT_TRUE(memcmp(before.stamp, after.stamp, sizeof before.stamp) != 0);
}

/* By another folder, its own includes are others. */
TEST_FILES(Includes, AreFollowedFromEachFolderOfALink)
{
    put_file("one/a.h", "#include \"b.h\"\n");
    put_file("one/b.h", "1");
    put_file("two/b.h", "2");
    ASSERT_EQ(0, symlink("../one/a.h", "two/a.h"));
    const char *source = "#include \"one/a.h\"\n#include \"two/a.h\"\n";
    EXPECT_EQ(4, follow(NULL, source).count);
    EXPECT_TRUE(writing_changes("two/b.h", "3", NULL, source));
}

TEST_FILES(Includes, OfOptionsAreFollowed)
{
    put_file("inc/a.h", "#include \"b.h\"\n");
    put_file("inc/b.h", "1");
    put_file("c.h", "1");
    const char *options = "-include a.h -I inc -include c.h";
    EXPECT_EQ(3, follow(options, "int x;").count);
    EXPECT_TRUE(writing_changes("inc/b.h", "2", options, "int x;"));
    EXPECT_TRUE(writing_changes("c.h", "2", options, "int x;"));
    EXPECT_TRUE(refuses("the source includes d.h", "-include d.h", "int x;"));
    EXPECT_TRUE(refuses_options("-imacros", "-imacros c.h", "int x;"));
}

TEST_FILES(Includes, ReadSourcesEndToEnd)
{
    put_file("a.h", "a");
    const char *sources[] = {
            "#incl", "ude \"a.h\"\n/*", "\n#include <b.h>\n", "*/", ""};
    struct includes out;
    ASSERT_TRUE(follow_sources(&out, 5, sources, NULL, NULL));
    EXPECT_EQ(1, out.count);
    const struct includes joined = follow(NULL, "#include \"a.h\"\n");
    EXPECT_TRUE(same_digest(&joined, &out));
}

TEST_FILES(Includes, RespectLengths)
{
    static const char with_nul[] = "a\0\n#include \"a.h\"\n#include <none.h>\n";
    const char *source = with_nul;
    struct includes out;
    size_t length = 2 + sizeof "\n#include \"a.h\"\n" - 1;
    put_file("a.h", "a");
    ASSERT_TRUE(follow_sources(&out, 1, &source, &length, NULL));
    EXPECT_EQ(1, out.count);
    length = 0; /* up to the NUL */
    ASSERT_TRUE(follow_sources(&out, 1, &source, &length, NULL));
    EXPECT_EQ(0, out.count);
    const char *two[] = {with_nul, "#include <none.h>\n#include \"a.h\"\n"};
    const size_t lengths[] = {3, sizeof "#include <none.h>\n" - 1};
    EXPECT_FALSE(follow_sources(&out, 2, two, lengths, NULL));
    EXPECT_NOT_NULL(strstr(out.reason, "none.h"));
}

TEST_FILES(Includes, ReadFilesWithAnyBytes)
{
    static const char bytes[] = "\0\xff#\n#include \"b.h\"\r\n\0";
    put_bytes("a.h", bytes, sizeof bytes);
    put_file("b.h", "");
    EXPECT_EQ(2, follow(NULL, "#include \"a.h\"\n").count);
    put_bytes("a.h", "", 0);
    EXPECT_EQ(1, follow(NULL, "#include \"a.h\"\n").count);
}

/* Files of the system say that they are empty, and are not. */
TEST_C(Includes, ReadFilesOfUnknownSize)
{
    static const char source[] = "#include \"/proc/self/limits\"\n";
    const struct includes a = follow(NULL, source);
    const struct includes b = follow(NULL, source);
    EXPECT_EQ(1, a.count);
    EXPECT_TRUE(same_digest(&a, &b));
    EXPECT_TRUE(
            refuses("/proc/self/mem: ", NULL, "#include \"/proc/self/mem\"\n"));
}

TEST_FILES(Includes, AreRefusedIfNotKnown)
{
    put_file("a.h", "#include NAME\n");
    put_file("inc/b.h", "b");
    EXPECT_TRUE(refuses("the source has an include that cannot be resolved",
            NULL, "#define NAME <b.h>\n#include NAME\n"));
    EXPECT_TRUE(refuses("a.h has an include that cannot be resolved", NULL,
            "#include \"a.h\"\n"));
    EXPECT_TRUE(
            refuses("none.h, which was not found", NULL, "#include <none.h>"));
    EXPECT_TRUE(refuses("empty name", NULL, "#include \"\""));
    EXPECT_TRUE(refuses("cannot be resolved", NULL, "#include_next <b.h>"));
    EXPECT_TRUE(
            refuses("cannot be resolved", NULL, "#if __has_include(<b.h>)"));
    EXPECT_TRUE(refuses_options(
            "-isysroot", "-Iinc -isysroot /", "#include <b.h>"));
    EXPECT_TRUE(refuses_options("-isysroot", "-Iinc -isysroot /", "int b;"));
}

TEST_C(Includes, ShowNoControlCharacters)
{
    EXPECT_TRUE(refuses(
            "includes ?[31ma.h, which", NULL, "#include \"\x1b[31ma.h\"\n"));
}

TEST_FILES(Includes, AreRefusedIfNotReadable)
{
    ASSERT_EQ(0, mkdir("folder.h", 0777));
    ASSERT_EQ(0, mkfifo("fifo.h", 0666));
    ASSERT_EQ(0, symlink("loop.h", "loop.h"));
    ASSERT_EQ(0, symlink("nowhere", "dangling.h"));
    EXPECT_TRUE(refuses("folder.h: included, but not a regular file", NULL,
            "#include \"folder.h\""));
    EXPECT_TRUE(refuses("fifo.h: included, but not a regular file", NULL,
            "#include \"fifo.h\""));
    EXPECT_TRUE(refuses("/dev/zero: included, but not a regular file", NULL,
            "#include \"/dev/zero\""));
    EXPECT_TRUE(refuses("loop.h: ", NULL, "#include \"loop.h\""));
    EXPECT_TRUE(refuses("not found", NULL, "#include \"dangling.h\""));
    put_file("map.hmap", "");
    put_file("inc/a.h", "");
    EXPECT_TRUE(refuses("map.hmap/a.h: Not a directory", "-Imap.hmap -Iinc",
            "#include <a.h>"));
    if (geteuid() != 0) {
        put_file("secret.h", "s");
        ASSERT_EQ(0, chmod("secret.h", 0));
        EXPECT_TRUE(refuses("secret.h: ", NULL, "#include \"secret.h\""));
    }
}

TEST_C(Includes, AreRefusedBeyondLimits)
{
    char *source = malloc(10000);
    ASSERT_NOT_NULL(source);
    enter_files();
    int fd = open("large.h", O_CREAT | O_WRONLY, 0666);
    ASSERT_EQ(0, ftruncate(fd, (64 << 20) + 1));
    close(fd);
    EXPECT_TRUE(refuses("too large", NULL, "#include \"large.h\""));
    snprintf(source, 10000, "#include \"%05000d.h\"", 0);
    EXPECT_TRUE(refuses("too long", NULL, source));
    snprintf(source, 10000, "#include \"%0300d.h\"", 0);
    EXPECT_TRUE(refuses("", NULL, source));
    free(source);
    leave_files();
}

/* Names that are found in the last of many folders only. */
TEST_C(Includes, AreRefusedAtTooManyPlaces)
{
    enum { folders = 900, files = 80 };
    char *options = malloc(folders * 10 + 20);
    char *source = malloc(files * 20);
    ASSERT_TRUE(options != NULL && source != NULL);
    size_t size = 0;
    enter_files();
    for (int i = 0; i < folders; i++)
        size += (size_t)snprintf(options + size, 10, "-I%d ", i);
    snprintf(options + size, 20, "-Iinc");
    size = 0;
    for (int i = 0; i < files; i++) {
        char path[20];
        snprintf(path, sizeof path, "inc/%d.h", i);
        put_file(path, "");
        size += (size_t)snprintf(source + size, 20, "#include <%d.h>\n", i);
    }
    EXPECT_TRUE(refuses("too many places", options, source));
    free(source);
    free(options);
    leave_files();
}

/* A chain of files, each of which includes the next. */
static void put_chain(int count)
{
    for (int i = 0; i < count; i++) {
        char path[40];
        char text[40] = "";
        snprintf(path, sizeof path, "chain/%d.h", i);
        if (i + 1 < count)
            snprintf(text, sizeof text, "#include \"%d.h\"\n", i + 1);
        put_file(path, text);
    }
}

TEST_FILES(Includes, MayBeDeep)
{
    put_chain(500);
    EXPECT_EQ(500, follow("-Ichain", "#include <0.h>").count);
    EXPECT_TRUE(
            writing_changes("chain/499.h", "end", "-Ichain", "#include <0.h>"));
}

/* Links, since files take long to make. */
TEST_C(Includes, AreRefusedIfTooMany)
{
    enum { side = 64 };
    char *source = malloc(side * side * 24 + 24);
    ASSERT_NOT_NULL(source);
    size_t size = 0;
    enter_files();
    for (int i = 0; i < side * side; i++) {
        char first[24];
        char path[24];
        snprintf(first, sizeof first, "0/%d.h", i % side);
        snprintf(path, sizeof path, "%d/%d.h", i / side, i % side);
        if (i < side || i % side == 0) put_file(path, "");
        if (i >= side) {
            remove(path); /* its folder is there */
            ASSERT_EQ(0, link(first, path));
        }
        size += (size_t)snprintf(source + size, 24, "#include \"%s\"\n", path);
    }
    EXPECT_EQ(side * side, follow(NULL, source).count);
    put_file("more.h", "");
    strcpy(source + size, "#include \"more.h\"");
    EXPECT_TRUE(refuses("too many files", NULL, source));
    free(source);
    leave_files();
}

static void *follow_often(void *user)
{
    const struct includes *expected = user;
    for (int i = 0; i < 50; i++) {
        const struct includes now = follow("-Ichain", "#include <0.h>");
        EXPECT_TRUE(same_digest(expected, &now));
    }
    return NULL;
}

TEST_C(Includes, AreFollowedByManyThreads)
{
    enum { threads = 4 };
    pthread_t thread[threads];
    enter_files();
    put_chain(20);
    struct includes expected = follow("-Ichain", "#include <0.h>");
    for (int i = 0; i < threads; i++)
        ASSERT_EQ(0, pthread_create(&thread[i], NULL, follow_often, &expected));
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    leave_files();
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* A thousand files of 1 KB, each included by the next and by the first, in the
 * second of two folders. The processor's time is what counts: others may have
 * the machine meanwhile. docs of the layer tell what it takes. */
TEST_C(Includes, AreFastToFollow)
{
    enum { files = 1000 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) \
        || defined(DNNL_CACHE_COVERAGE)
    const double most_ms = 2000; /* they cost several times as much */
#else
    const double most_ms = 200;
#endif
    char *all = malloc(files * 24);
    ASSERT_NOT_NULL(all);
    size_t size = 0;
    enter_files();
    for (int i = 0; i < files; i++) {
        char path[40];
        char text[1100];
        snprintf(path, sizeof path, "inc/h%d.h", i);
        snprintf(text, sizeof text, "#include \"h%d.h\"\n%01000d\n",
                (i + 1) % files, i);
        put_file(path, text);
        size += (size_t)snprintf(all + size, 24, "#include <h%d.h>\n", i);
    }
    double best = 1e9;
    for (int round = 0; round < 10; round++) {
        const double begin = milliseconds();
        EXPECT_EQ(files, follow("-Inone -Iinc", all).count);
        const double took = milliseconds() - begin;
        if (took < best) best = took;
    }
    printf("%d headers: %.2f ms\n", files, best);
    EXPECT_TRUE(best < most_ms);
    free(all);
    leave_files();
}

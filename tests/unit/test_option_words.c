/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/option_words.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

struct list {
    char text[256];
    const char *refused; /* NULL: none */
};

static bool add(const char *text, void *user)
{
    struct list *list = user;
    const size_t size = strlen(list->text);
    snprintf(list->text + size, sizeof list->text - size, "<%s>", text);
    return list->refused == NULL || strcmp(text, list->refused) != 0;
}

static void expect_words(const char *words, const char *options)
{
    struct list list = {"", NULL};
    EXPECT_TRUE(option_words_are(options, add, &list));
    EXPECT_STR_EQ(words, list.text);
}

static void expect_folders(const char *folders, const char *options)
{
    struct list list = {"", NULL};
    EXPECT_TRUE(option_folders_are(options, add, &list));
    EXPECT_STR_EQ(folders, list.text);
}

TEST_C(OptionWords, AreThoseOfAllWays)
{
    expect_words("", "");
    expect_words("", " \t\n");
    expect_words("<-DA><-w>", " -DA\t-w\n");
    /* At blanks, at quotes, as a shell, as PoCL. */
    expect_words(
            "<-DA=\"b><c\"><-DA=><b c><-DA=b c><-DA= b c >", "-DA=\"b c\"");
    expect_words("<\\-w><\\-w><-w><\\-w>", "\\-w");
}

TEST_C(OptionWords, NameFolders)
{
    expect_folders("", "-DRANGE=A-I -D X=-I -Wa -include a.h");
    expect_folders(
            "<a><b><c><d><e>", "-Ia -I b -isystem c -iquoted -idirafter e");
    expect_folders("", "-isystem-after a -I");
    expect_folders("<\"\"><  >", "-I\"\"");
    expect_folders("<\".\"><.><.>< . >", "-I \".\"");
    expect_folders("<'/a><'/a></a b><'/a>", "-I'/a b'");
}

TEST_C(OptionWords, AreCheckedUntilOneIsRefused)
{
    struct list list = {"", "-b"};
    EXPECT_FALSE(option_words_are("-a -b -c", add, &list));
    EXPECT_STR_EQ("<-a><-b>", list.text);
    list = (struct list){"", "x"};
    EXPECT_FALSE(option_folders_are("-I a -I x -I c", add, &list));
    EXPECT_STR_EQ("<a><x>", list.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The module's parts for S3: signatures and lists. */
#include "http/http_list.h"
#include "http/http_sign.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Signatures ---------------------------------------------------------- */

/* What botocore 1.44.5 makes of the same requests. */
TEST_C(HttpSign, IsWhatBotocoreMakes)
{
    static const char empty[] = "e3b0c44298fc1c149afbf4c8996fb924"
                                "27ae41e4649b934ca495991b7852b855";
    static const struct {
        const char *method;
        const char *host;
        const char *path;
        const char *query;
        const char *data;
        char *session;
        const char *content;
        const char *signature;
    } requests[] = {
            {"GET", "fleet.s3.eu-west-1.amazonaws.com", "/0123456789abcdef", "",
                    "", NULL, empty,
                    "5b896a1e9c589d6c1279421fe3fb6d327bf708287648bb564f5a084a3a"
                    "3787f3"},
            {"PUT", "127.0.0.1:9000", "/fleet/pre%20fix/0123", "", "a blob\n",
                    NULL,
                    "817cc117411702c36923100d38a1813c1172dbd61b48ca389a9cd2af00"
                    "102f66",
                    "6a372060e358fb6a29e8e679af204f282ccda03ba4cb0236b14666a81d"
                    "51be15"},
            {"DELETE", "minio.example", "/fleet/x~y-z_0.1", "", "",
                    "token+/=", empty,
                    "238ad4fec0708fc4554d61507bc563cfd401315c331357fa4d3dbb7e97"
                    "18b669"},
            {"GET", "minio.example:9000", "/fleet",
                    "encoding-type=url&list-type=2&max-keys=1000&prefix="
                    "pre%20fix%2F&start-after=pre%20fix%2Fabc",
                    "", "token+/=", empty,
                    "c5fa76e9fcccbba317f432c65d2a5727c08e3d11e740e9de2b2a717151"
                    "7f9638"},
    };
    for (size_t i = 0; i < COUNT(requests); i++) {
        char id[] = "AKIDEXAMPLE";
        char secret[] = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
        char expected[640];
        struct http_signature made;
        const struct http_keys keys = {id, secret, requests[i].session};
        const struct http_signed request = {
                .method = requests[i].method,
                .host = requests[i].host,
                .path = requests[i].path,
                .query = requests[i].query,
                .data = (const uint8_t *)requests[i].data,
                .size = strlen(requests[i].data),
                .region = "eu-west-1",
                .time = 1767323045,
        };
        http_sign(&made, &request, &keys);
        snprintf(expected, sizeof expected,
                "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-west-1/s3/"
                "aws4_request, SignedHeaders=host;x-amz-content-sha256;"
                "x-amz-date%s, Signature=%s",
                keys.session != NULL ? ";x-amz-security-token" : "",
                requests[i].signature);
        EXPECT_STR_EQ("20260102T030405Z", made.date);
        EXPECT_STR_EQ(requests[i].content, made.content);
        EXPECT_STR_EQ(expected, made.authorization);
    }
}

TEST_C(HttpSign, EscapesAllThatIsNotPlain)
{
    char text[3 * 16 + 1];
    EXPECT_EQ(12, http_escape(text, "a/b c\xc3", 6, ""));
    EXPECT_STR_EQ("a%2Fb%20c%C3", text);
}

/* ---- Lists --------------------------------------------------------------- */

struct names {
    size_t count;
    char all[512];
};

static bool note_name(void *user, const char *name, size_t size)
{
    struct names *names = user;
    const size_t used = strlen(names->all);
    names->count++;
    snprintf(names->all + used, sizeof names->all - used, "%.*s,", (int)size,
            name);
    return true;
}

static bool parse(struct names *names, const char *text, const char *prefix,
        char cursor[http_cursor_size])
{
    char *copy = strdup(text);
    *names = (struct names){.count = 0};
    const bool is_one = http_list_parse(
            copy, strlen(copy), prefix, note_name, names, cursor);
    free(copy);
    return is_one;
}

#define RESULT(text) "<ListBucketResult>" text "</ListBucketResult>"
#define KEY(text) "<Contents><Key>" text "</Key></Contents>"
#define URL_KEYS "<EncodingType>url</EncodingType>"
#define MORE "<IsTruncated>true</IsTruncated>"

TEST_C(HttpList, HasOurNamesWithoutThePrefix)
{
    struct names names;
    char cursor[http_cursor_size] = "before";
    EXPECT_TRUE(parse(&names,
            RESULT(URL_KEYS KEY("p%2Fq/abc") KEY("p/q/") KEY("p/other") KEY(
                    "p/q/a+b") KEY("p/q/d-_.9") KEY("p/q/deep/e") KEY("q/f")),
            "p/q/", cursor));
    EXPECT_STR_EQ("abc,d-_.9,", names.all);
    EXPECT_STR_EQ("", cursor);
    /* A server that does not know the encoding. */
    EXPECT_TRUE(parse(
            &names, RESULT(KEY("p%2Fq/abc") KEY("p/q/abc")), "p/q/", cursor));
    EXPECT_STR_EQ("abc,", names.all);
    EXPECT_TRUE(parse(&names, RESULT(""), "", cursor));
    EXPECT_EQ(0, names.count);
}

TEST_C(HttpList, GoesOnBehindTheLastName)
{
    struct names names;
    char cursor[http_cursor_size];
    char long_name[300];
    char text[1000];
    EXPECT_TRUE(
            parse(&names, RESULT(KEY("a/b") KEY("a/c d") MORE), "a/", cursor));
    EXPECT_STR_EQ("c d", cursor);
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    snprintf(text, sizeof text, RESULT(KEY("a/b") KEY("a/%s") MORE), long_name);
    EXPECT_TRUE(parse(&names, text, "a/", cursor));
    EXPECT_EQ(127, strlen(cursor));
    EXPECT_TRUE(strcmp(cursor, long_name) > 0);
    EXPECT_STR_EQ("b,", names.all);
    /* Nothing to go on from. */
    EXPECT_FALSE(parse(&names, RESULT(MORE), "", cursor));
    char *query = http_list_query("a b/", "c/d");
    EXPECT_STR_EQ("encoding-type=url&list-type=2&max-keys=1000&prefix=a%20b%2F"
                  "&start-after=a%20b%2Fc%2Fd",
            query);
    free(query);
    query = http_list_query("", "");
    EXPECT_STR_EQ("encoding-type=url&list-type=2&max-keys=1000&prefix=", query);
    free(query);
}

TEST_C(HttpList, RefusesWhatIsNone)
{
    static const char *const texts[] = {"", "<", "<html></html>",
            "<ListBucketResult>", "</ListBucketResult>", RESULT("<Key>abc"),
            RESULT(KEY("abc") "<Key>def")};
    char cursor[http_cursor_size];
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct names names;
        EXPECT_FALSE(parse(&names, texts[i], "", cursor));
    }
}

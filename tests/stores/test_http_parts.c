/* SPDX-License-Identifier: Apache-2.0 */
/* The module's parts for S3: signatures, places and lists. */
#include "stores/http/http_list.h"
#include "stores/http/http_server.h"
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

/* ---- Places -------------------------------------------------------------- */

static int init(struct http_server *server, struct remote_url *url,
        const char *text, char why[remote_why_size])
{
    why[0] = '\0';
    EXPECT_EQ(0, remote_url_parse(url, text, why));
    return http_server_init(server, url, why);
}

TEST_C(HttpServer, KnowsWhereBucketsAre)
{
    static const struct {
        const char *url;
        const char *authority;
        const char *path;
        const char *bucket;
    } places[] = {
            {"http://host/a/b", "host", "/a/b", "/a"},
            {"https://host:443/a", "host", "/a", "/a"},
            {"https://host:80/a", "host:80", "/a", "/a"},
            {"http://[::1]:9000/a@b/c%2Fd%7e", "[::1]:9000", "/a%40b/c/d~",
                    "/a%40b"},
            {"https://s3.eu-west-1.amazonaws.com/fleet/x",
                    "s3.eu-west-1.amazonaws.com", "/fleet/x", "/fleet"},
            {"https://fleet.s3.eu-west-1.amazonaws.com/x",
                    "fleet.s3.eu-west-1.amazonaws.com", "/x", ""},
            {"https://my.fleet.s3-us-west-2.amazonaws.com",
                    "my.fleet.s3-us-west-2.amazonaws.com", "", ""},
            {"https://fleet.s3.example.com/x", "fleet.s3.example.com", "/x",
                    "/x"},
    };
    EXPECT_EQ(0, setenv("AWS_ACCESS_KEY_ID", "id", 1));
    EXPECT_EQ(0, setenv("AWS_SECRET_ACCESS_KEY", "a-secret", 1));
    for (size_t i = 0; i < COUNT(places); i++) {
        char text[256];
        char why[remote_why_size];
        struct remote_url url;
        struct http_server server;
        snprintf(text, sizeof text, "%s?aws_region=eu-west-1", places[i].url);
        EXPECT_EQ(0, init(&server, &url, text, why));
        EXPECT_STR_EQ(places[i].authority, server.authority);
        EXPECT_STR_EQ(places[i].path, server.path);
        EXPECT_EQ(strlen(places[i].bucket), http_server_bucket_size(&server));
        http_server_fini(&server);
        remote_url_fini(&url);
    }
    EXPECT_EQ(0, unsetenv("AWS_ACCESS_KEY_ID"));
    EXPECT_EQ(0, unsetenv("AWS_SECRET_ACCESS_KEY"));
}

/* Threads of ours connect later, when the application may be changing its
 * environment. */
TEST_C(HttpServer, TakesTheEnvironmentAsItWasWhenTheUrlWasRead)
{
    static const char text[] = "http://host/a?aws_region=eu";
    char why[remote_why_size];
    struct remote_url url;
    struct http_server server;
    EXPECT_EQ(0, setenv("AWS_ACCESS_KEY_ID", "id", 1));
    EXPECT_EQ(0, setenv("AWS_SECRET_ACCESS_KEY", "a-secret", 1));
    EXPECT_EQ(0, remote_url_parse(&url, text, why));
    EXPECT_EQ(0, unsetenv("AWS_ACCESS_KEY_ID"));
    EXPECT_EQ(0, setenv("AWS_SECRET_ACCESS_KEY", "another", 1));
    EXPECT_EQ(0, http_server_init(&server, &url, why));
    EXPECT_STR_EQ("id", server.keys.id);
    EXPECT_STR_EQ("a-secret", server.keys.secret);
    http_server_fini(&server);
    remote_url_fini(&url);
    EXPECT_EQ(0, unsetenv("AWS_SECRET_ACCESS_KEY"));
}

TEST_C(HttpServer, SaysWhatIsMissing)
{
    static const struct {
        const char *url;
        const char *secret;
        const char *said;
    } places[] = {
            {"http://host/a?aws_region=eu", NULL, "AWS_SECRET_ACCESS_KEY"},
            {"http://host?aws_region=eu", "a-secret", "/BUCKET"},
            {"http://host/a?aws_region=e/u", "a-secret", "aws_region"},
            {"http://host/a?aws_region=eu", "a\nsecret", "keys for S3"},
            {"http://host/a?aws_region=eu&aws_keys_file=/no/where", "a-secret",
                    "/no/where"},
            {"http://host/a?user=a:b&password_file=/no/where", NULL, "colon"},
            {"https://host/a?ca_file=/no/where", NULL, "ca_file"},
    };
    EXPECT_EQ(0, setenv("AWS_ACCESS_KEY_ID", "id", 1));
    for (size_t i = 0; i < COUNT(places); i++) {
        char why[remote_why_size];
        struct remote_url url;
        struct http_server server;
        EXPECT_EQ(0,
                setenv("AWS_SECRET_ACCESS_KEY",
                        places[i].secret != NULL ? places[i].secret : "", 1));
        EXPECT_NE(0, init(&server, &url, places[i].url, why));
        if (strstr(why, places[i].said) == NULL)
            test_fail(__FILE__, __LINE__, "no \"%s\" in: %s", places[i].said,
                    why);
        EXPECT_NULL(strstr(why, "secret"));
        remote_url_fini(&url);
    }
    EXPECT_EQ(0, unsetenv("AWS_ACCESS_KEY_ID"));
    EXPECT_EQ(0, unsetenv("AWS_SECRET_ACCESS_KEY"));
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

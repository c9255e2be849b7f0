/* SPDX-License-Identifier: Apache-2.0 */
/* The URL of a remote store: what is read, what is refused, and that no message
 * tells a secret. */
#include "stores/remote/thread/remote_url.h"

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A URL that must be accepted; the caller ends it. */
static struct remote_url parse(const char *text)
{
    struct remote_url url;
    char why[remote_why_size] = "";
    EXPECT_EQ(0, remote_url_parse(&url, text, why));
    EXPECT_STR_EQ("", why);
    return url;
}

/* What is said of one that must be refused. */
static const char *refusal(const char *text)
{
    static const struct remote_url zeroed;
    static char why[remote_why_size];
    struct remote_url url;
    memset(&url, 7, sizeof url);
    why[0] = '\0';
    EXPECT_EQ(EINVAL, remote_url_parse(&url, text, why));
    EXPECT_TRUE(memcmp(&url, &zeroed, sizeof url) == 0);
    EXPECT_TRUE(why[0] != '\0');
    return why;
}

static bool has(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

TEST_C(RemoteUrl, NamesAServerOfHttp)
{
    struct remote_url url = parse("http://cache.example/a/b/?insecure=1");
    EXPECT_EQ(remote_scheme_http, url.scheme);
    EXPECT_STR_EQ("cache.example", url.host);
    EXPECT_EQ(80, url.port);
    EXPECT_STR_EQ("/a/b", url.path);
    EXPECT_STR_EQ("http://cache.example/a/b", url.text);
    EXPECT_TRUE(url.insecure);
    EXPECT_FALSE(url.read_only);
    EXPECT_EQ(remote_default_timeout_ms, url.timeout_ms);
    EXPECT_EQ(remote_default_max_blob_bytes, url.max_blob_bytes);
    EXPECT_NULL(url.key_file);
    remote_url_fini(&url);
    url = parse("HTTPS://[2001:db8::1]:8443");
    EXPECT_EQ(remote_scheme_https, url.scheme);
    EXPECT_STR_EQ("2001:db8::1", url.host);
    EXPECT_EQ(8443, url.port);
    EXPECT_STR_EQ("", url.path);
    EXPECT_STR_EQ("https://[2001:db8::1]:8443", url.text);
    remote_url_fini(&url);
    url = parse("https://host/");
    EXPECT_EQ(443, url.port);
    EXPECT_STR_EQ("", url.path);
    remote_url_fini(&url);
}

TEST_C(RemoteUrl, NamesAServerOfRedis)
{
    struct remote_url url =
            parse("redis://redis.example:6380/3?ttl_s=60&prefix=fleet%3A");
    EXPECT_EQ(remote_scheme_redis, url.scheme);
    EXPECT_STR_EQ("redis.example", url.host);
    EXPECT_EQ(6380, url.port);
    EXPECT_EQ(3, url.database);
    EXPECT_EQ(60, url.ttl_s);
    EXPECT_STR_EQ("fleet:", url.prefix);
    EXPECT_NULL(url.path);
    EXPECT_STR_EQ("redis://redis.example:6380/3", url.text);
    remote_url_fini(&url);
    url = parse("unix:///run/my%20redis.sock?insecure=1");
    EXPECT_EQ(remote_scheme_unix, url.scheme);
    EXPECT_STR_EQ("/run/my redis.sock", url.path);
    EXPECT_NULL(url.host);
    EXPECT_EQ(0, url.port);
    remote_url_fini(&url);
}

TEST_C(RemoteUrl, HasOptions)
{
    struct remote_url url =
            parse("https://host/p?timeout_ms=50&max_blob_bytes=1000&read_only=1"
                  "&key_file=/etc/a%26b&old_key_file=/old&user=me%40here"
                  "&password_file=/pass&ca_file=/ca&client_cert=/cert"
                  "&client_key=/ck");
    EXPECT_EQ(50, url.timeout_ms);
    EXPECT_EQ(1000, url.max_blob_bytes);
    EXPECT_TRUE(url.read_only);
    EXPECT_FALSE(url.insecure);
    EXPECT_STR_EQ("/etc/a&b", url.key_file);
    EXPECT_STR_EQ("/old", url.old_key_file);
    EXPECT_STR_EQ("me@here", url.user);
    EXPECT_STR_EQ("/pass", url.password_file);
    EXPECT_STR_EQ("/ca", url.ca_file);
    EXPECT_STR_EQ("/cert", url.client_cert);
    EXPECT_STR_EQ("/ck", url.client_key);
    EXPECT_STR_EQ("https://host/p", url.text);
    remote_url_fini(&url);
    url = parse("https://host/b?aws_region=eu-1&aws_keys_file=/aws"
                "&public_key_file=/pub&old_public_key_file=/old"
                "&sign_key_file=/sec&encryption_key_file=/enc"
                "&old_encryption_key_file=/old_enc");
    EXPECT_STR_EQ("eu-1", url.aws_region);
    EXPECT_STR_EQ("/aws", url.aws_keys_file);
    EXPECT_STR_EQ("/pub", url.public_key_file);
    EXPECT_STR_EQ("/old", url.old_public_key_file);
    EXPECT_STR_EQ("/sec", url.sign_key_file);
    EXPECT_STR_EQ("/enc", url.encryption_key_file);
    EXPECT_STR_EQ("/old_enc", url.old_encryption_key_file);
    remote_url_fini(&url);
    url = parse("http://host?token_file=/t");
    EXPECT_STR_EQ("/t", url.token_file);
    remote_url_fini(&url);
    remote_url_fini(&url); /* a zeroed one is fine */
}

TEST_C(RemoteUrl, IsToldFromAPath)
{
    static const char *const urls[] = {"http://h", "https://h", "redis://h",
            "rediss://h", "unix:///s", "s3://bucket", "HTTP://h"};
    static const char *const paths[] = {"/a/b", "a", "", "http:/x",
            "http:", "./http://x", "/x://y", "://x", "1http://x"};
    for (size_t i = 0; i < COUNT(urls); i++)
        EXPECT_TRUE(remote_url_is_one(urls[i]));
    for (size_t i = 0; i < COUNT(paths); i++)
        EXPECT_FALSE(remote_url_is_one(paths[i]));
    EXPECT_FALSE(remote_url_is_one(NULL));
}

TEST_C(RemoteUrl, OfAnotherKindIsRefused)
{
    static const char *const bad[] = {"", "/path", "host", "ftp://host",
            "s3://b", "http:/host", "http://", "http:///path", "http://:80",
            "http://?", "http://host:", "http://host:0", "http://host:65536",
            "http://host:8o", "http://host:80:80", "http://[::1", "http://[]",
            "http://[::1]x", "http://[::1]80", "http://-x", "http://a b/",
            "http://a\tb", "http://host/a b", "http://host/#x",
            "http://host/\xc3\xa4", "http://host/%", "http://host/%4",
            "http://host/%zz", "http://host/..", "http://host/./a",
            "http://host/a/../b", "http://host/a|b", "redis://h/x",
            "redis://h/1/2", "redis://h/-1", "redis://h/65536", "unix://",
            "unix://host/path", "unix:///a%00b", "unix:///a%2"};
    char why[remote_why_size];
    struct remote_url url;
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_TRUE(has(refusal(bad[i]), "remote URL: "));
    EXPECT_EQ(EINVAL, remote_url_parse(&url, NULL, why));
    EXPECT_TRUE(has(refusal("rediss://host"), "stunnel"));
}

TEST_C(RemoteUrl, ThatIsTooLongIsRefused)
{
    enum { long_size = 9000 };
    char *text = malloc(long_size + 1);
    memset(text, 'a', long_size);
    memcpy(text, "http://host/", 12);
    text[long_size] = '\0';
    EXPECT_TRUE(has(refusal(text), "at most"));
    memset(text, 'a', 300);
    memcpy(text, "unix:///", 8);
    text[300] = '\0';
    EXPECT_TRUE(has(refusal(text), "too long"));
    free(text);
}

TEST_C(RemoteUrl, WithOptionsThatMakeNoSenseIsRefused)
{
    static const char *const bad[] = {"http://h?insecure",
            "http://h?insecure=", "http://h?insecure=2", "http://h?insecure=01",
            "http://h?=1", "http://h?&", "http://h?insecure=1&",
            "http://h?insecure=1&&", "http://h?insecure=1&insecure=1",
            "http://h?timeout_ms=0", "http://h?timeout_ms=60001",
            "http://h?timeout_ms=-1", "http://h?timeout_ms=1.5",
            "http://h?timeout_ms=", "http://h?timeout_ms=99999999999999999999",
            "http://h?max_blob_bytes=0",
            "http://h?key_file=", "http://h?key_file=relative",
            "http://h?key_file=/%", "http://h?key_file=/%0a",
            "http://h?user=me", "http://h?password_file=/p",
            "http://h?client_cert=/c", "http://h?ca_file=/c",
            "https://h?client_cert=/c", "https://h?client_key=/c",
            "http://h?aws_keys_file=/k",
            "http://h?user=a&password_file=/p&token_file=/t",
            "http://h?aws_region=x&token_file=/t", "http://h?ttl_s=1",
            "http://h?prefix=x", "redis://h?token_file=/t",
            "redis://h?aws_region=x", "unix:///s?ca_file=/c"};
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_TRUE(has(refusal(bad[i]), "remote URL: "));
}

TEST_C(RemoteUrl, NamesTheOptionThatIsUnknown)
{
    EXPECT_TRUE(has(refusal("http://h?insecure=1&timout_ms=5"), "timout_ms"));
    EXPECT_FALSE(has(refusal("http://h?timout_ms=5"), "5"));
    EXPECT_TRUE(has(refusal("http://h?ca_file=/c"), "ca_file"));
}

/* A password in a place where none belongs is not told to a log. */
TEST_C(RemoteUrl, ThatIsRefusedTellsNoSecret)
{
    static const char *const bad[] = {"http://me:hunter2@host/",
            "http://hunter2@host", "http://host?password=hunter2",
            "http://host?token=hunter2", "http://host?hunter2",
            "http://host?user=hunter2", "http://host?insecure=hunter2",
            "http://host:hunter2/", "http://host/hunter2 x", "hunter2://host",
            "http://host?key=hunter2", "http://host?password_file=hunter2",
            "redis://:hunter2@host/0", "redis://host/hunter2", "unix://hunter2",
            "http://host?hunter2%3D=1", "http://host?a-hunter2=1"};
    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_FALSE(has(refusal(bad[i]), "hunter2"));
    EXPECT_TRUE(has(refusal("http://host?password=x"), "password_file="));
}

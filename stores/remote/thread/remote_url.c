/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_url.h"

#include "src/platform/random.h"
#include "src/platform/socket.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { most_text = 8192, most_option_name = 32 };

/* What is being read. No message quotes the URL: a password may be in it. */
struct parse {
    struct remote_url *url;
    char *why;
    const char *at;
    uint64_t given; /* options so far, by their place in the table */
};

__attribute__((format(printf, 2, 3))) static int refuse(
        const struct parse *p, const char *format, ...)
{
    char reason[remote_why_size];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    (void)snprintf(p->why, remote_why_size, "remote URL: %.*s",
            remote_why_size - 16, reason);
    return EINVAL;
}

static int no_memory(const struct parse *p)
{
    (void)snprintf(p->why, remote_why_size, "out of memory");
    return ENOMEM;
}

/* ---- Characters ---------------------------------------------------------- */

/* Independent of the locale. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* Decodes %XX. 0, or an errno value with a message about `what`. The caller
 * frees *text. */
static int decode(const struct parse *p, char **text, const char *what,
        const char *from, size_t size)
{
    char *made = malloc(size + 1);
    size_t used = 0;
    if (made == NULL) return no_memory(p);
    for (size_t i = 0; i < size; i++) {
        int c = (unsigned char)from[i];
        if (c == '%') {
            c = remote_percent_byte(from + i, size - i);
            i += 2;
        }
        if (c < ' ' || c == 0x7f) {
            free(made);
            return refuse(p,
                    "%s: a %% that is not followed by the two "
                    "hexadecimal digits of a printable character",
                    what);
        }
        made[used++] = (char)c;
    }
    made[used] = '\0';
    *text = made;
    return 0;
}

/* A decimal number without sign and spaces; false also if it is too large. */
static bool parse_number(uint64_t *number, const char *text, size_t size)
{
    uint64_t value = 0;
    if (size == 0) return false;
    for (size_t i = 0; i < size; i++) {
        if (!is_digit(text[i])) return false;
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = 10 * value + digit;
    }
    *number = value;
    return true;
}

/* ---- Options ------------------------------------------------------------- */

enum {
    of_http = 1u << remote_scheme_http,
    of_https = 1u << remote_scheme_https,
    of_redis = (1u << remote_scheme_redis) | (1u << remote_scheme_unix),
    of_web = of_http | of_https,
    of_all = of_web | of_redis
};

enum option_kind { kind_switch, kind_number, kind_file, kind_text };

struct option {
    const char *name;
    unsigned schemes;
    enum option_kind kind;
    size_t member;
    uint64_t least; /* of a number */
    uint64_t most;
};

#define MEMBER(name) offsetof(struct remote_url, name)
#define A_SWITCH(name) #name, of_all, kind_switch, MEMBER(name), 0, 1
#define A_FILE(name, schemes) #name, schemes, kind_file, MEMBER(name), 0, 0

static const struct option options[] = {
        {A_SWITCH(insecure)},
        {A_SWITCH(read_only)},
        {"timeout_ms", of_all, kind_number, MEMBER(timeout_ms), 1, 60000},
        {"max_blob_bytes", of_all, kind_number, MEMBER(max_blob_bytes), 1,
                UINT64_C(1) << 40},
        {"ttl_s", of_redis, kind_number, MEMBER(ttl_s), 0, 315360000},
        {"lease_ms", of_redis, kind_number, MEMBER(lease_ms), 100, 600000},
        {"prefix", of_redis, kind_text, MEMBER(prefix), 0, 0},
        {A_FILE(key_file, of_all)},
        {A_FILE(old_key_file, of_all)},
        {A_FILE(public_key_file, of_all)},
        {A_FILE(old_public_key_file, of_all)},
        {A_FILE(sign_key_file, of_all)},
        {A_FILE(encryption_key_file, of_all)},
        {A_FILE(old_encryption_key_file, of_all)},
        {"user", of_all, kind_text, MEMBER(user), 0, 0},
        {A_FILE(password_file, of_all)},
        {A_FILE(token_file, of_web)},
        {A_FILE(ca_file, of_https)},
        {A_FILE(client_cert, of_https)},
        {A_FILE(client_key, of_https)},
        {"aws_region", of_web, kind_text, MEMBER(aws_region), 0, 0},
        {A_FILE(aws_keys_file, of_web)},
};

enum { option_count = sizeof options / sizeof *options };

static const struct option *find_option(const char *name, size_t size)
{
    for (size_t i = 0; i < option_count; i++)
        if (strlen(options[i].name) == size
                && memcmp(options[i].name, name, size) == 0)
            return &options[i];
    return NULL;
}

/* The name is quoted if it looks like one; a value never is. */
static int refuse_unknown(const struct parse *p, const char *name, size_t size)
{
    static const char *const secrets[] = {"key", "password", "secret", "token"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        if (strlen(secrets[i]) == size && memcmp(secrets[i], name, size) == 0)
            return refuse(p,
                    "%s= is not an option: secrets are in files (key_file=, "
                    "password_file=, token_file=)",
                    secrets[i]);
    for (size_t i = 0; i < size; i++)
        if ((!is_letter(name[i]) && !is_digit(name[i]) && name[i] != '_')
                || size > most_option_name)
            return refuse(p, "an unknown option");
    return refuse(p, "unknown option: %.*s", (int)size, name);
}

static int set_number(const struct parse *p, const struct option *option,
        const char *value, size_t size)
{
    char *member = (char *)p->url + option->member;
    uint64_t number = 0;
    if (option->kind == kind_switch
            && (size != 1 || (value[0] != '0' && value[0] != '1')))
        return refuse(p, "%s: expected 0 or 1", option->name);
    if (!parse_number(&number, value, size) || number < option->least
            || number > option->most)
        return refuse(p, "%s: expected a number from %llu to %llu",
                option->name, (unsigned long long)option->least,
                (unsigned long long)option->most);
    if (option->kind == kind_switch)
        *(bool *)member = number == 1;
    else
        *(uint64_t *)(void *)member = number;
    return 0;
}

static int set_text(const struct parse *p, const struct option *option,
        const char *value, size_t size)
{
    char **member = (char **)(void *)((char *)p->url + option->member);
    if (size == 0) return refuse(p, "%s: no value", option->name);
    const int error = decode(p, member, option->name, value, size);
    if (error != 0) return error;
    /* The working directory does not choose keys. */
    if (option->kind == kind_file && (*member)[0] != '/')
        return refuse(p, "%s: expected an absolute path", option->name);
    return 0;
}

static int read_option(struct parse *p, const char *text, size_t size)
{
    const char *equals = memchr(text, '=', size);
    if (equals == NULL)
        return refuse(p, "an option without a value: expected NAME=VALUE");
    const size_t name_size = (size_t)(equals - text);
    const size_t value_size = size - name_size - 1;
    const struct option *option = find_option(text, name_size);
    if (option == NULL) return refuse_unknown(p, text, name_size);
    const uint64_t bit = UINT64_C(1) << (option - options);
    if ((option->schemes & (1u << p->url->scheme)) == 0)
        return refuse(
                p, "%s is not an option of this kind of server", option->name);
    if ((p->given & bit) != 0)
        return refuse(p, "%s is given twice", option->name);
    p->given |= bit;
    if (option->kind == kind_switch || option->kind == kind_number)
        return set_number(p, option, equals + 1, value_size);
    return set_text(p, option, equals + 1, value_size);
}

/* Which options go together. NULL: these do. */
static const char *find_mistake(const struct remote_url *u)
{
    const bool is_web = ((1u << u->scheme) & of_web) != 0;
    if (u->user != NULL && u->password_file == NULL)
        return "user needs password_file";
    if (is_web && u->password_file != NULL && u->user == NULL)
        return "password_file needs user";
    if (u->token_file != NULL && u->user != NULL)
        return "token_file excludes user";
    if (u->aws_region != NULL && (u->token_file != NULL || u->user != NULL))
        return "aws_region excludes token_file and user";
    if (u->aws_keys_file != NULL && u->aws_region == NULL)
        return "aws_keys_file needs aws_region";
    if ((u->client_cert != NULL) != (u->client_key != NULL))
        return "client_cert and client_key need each other";
    return NULL;
}

static int read_options(struct parse *p)
{
    while (p->at != NULL && *p->at != '\0') {
        const size_t size = strcspn(p->at, "&");
        const int error = read_option(p, p->at, size);
        if (error != 0) return error;
        p->at += size;
        if (*p->at == '&' && *++p->at == '\0')
            return refuse(p, "nothing follows the last &");
    }
    const char *mistake = find_mistake(p->url);
    return mistake != NULL ? refuse(p, "%s", mistake) : 0;
}

/* ---- The place ----------------------------------------------------------- */

static const struct scheme {
    const char *name;
    enum remote_scheme scheme;
    uint16_t port;
} schemes[] = {
        {"http", remote_scheme_http, 80},
        {"https", remote_scheme_https, 443},
        {"redis", remote_scheme_redis, 6379},
        {"unix", remote_scheme_unix, 0},
};

/* Bytes of the scheme of a URL; 0: it is none. */
static size_t scheme_size(const char *text)
{
    size_t size = 0;
    if (!is_letter(text[0])) return 0;
    while (is_letter(text[size]) || is_digit(text[size])
            || is_one_of(text[size], "+-."))
        size++;
    return strncmp(text + size, "://", 3) == 0 ? size : 0;
}

bool remote_url_is_one(const char *text)
{
    return text != NULL && scheme_size(text) > 0;
}

static bool is_scheme(const char *text, size_t size, const char *name)
{
    return size == strlen(name) && strncasecmp(text, name, size) == 0;
}

static int read_scheme(struct parse *p, const struct scheme **scheme)
{
    const size_t size = scheme_size(p->at);
    if (is_scheme(p->at, size, "rediss"))
        return refuse(p,
                "rediss: Redis over TLS is not supported: run stunnel on this "
                "host, and name its port with redis://");
    for (size_t i = 0; size > 0 && i < sizeof schemes / sizeof *schemes; i++)
        if (is_scheme(p->at, size, schemes[i].name)) {
            *scheme = &schemes[i];
            p->url->scheme = schemes[i].scheme;
            p->at += size + 3;
            return 0;
        }
    return refuse(p, "expected http://, https://, redis:// or unix://");
}

static bool is_host(const char *host, size_t size, bool is_bracketed)
{
    for (size_t i = 0; i < size; i++)
        if (is_bracketed ? remote_hex_digit(host[i]) < 0
                                   && !is_one_of(host[i], ":.")
                         : !is_letter(host[i]) && !is_digit(host[i])
                                   && !is_one_of(host[i], "-._"))
            return false;
    /* No name of a host is longer; nothing that looks like an option of a
     * program. */
    return size > 0 && size <= 255 && host[0] != '-';
}

static int read_port(const struct parse *p, const char *text, size_t size)
{
    uint64_t port = 0;
    if (!parse_number(&port, text, size) || port == 0 || port > UINT16_MAX)
        return refuse(p, "the port: expected a number from 1 to 65535");
    p->url->port = (uint16_t)port;
    return 0;
}

/* HOST[:PORT] or [ADDRESS][:PORT] */
static int read_host(struct parse *p, uint16_t usual_port)
{
    const size_t size = strcspn(p->at, "/");
    const char *host = p->at;
    if (memchr(host, '@', size) != NULL)
        return refuse(p, "no user or password in front of the host: use user= "
                         "and password_file=");
    const bool is_bracketed = host[0] == '[';
    if (is_bracketed) host++;
    const size_t most = (size_t)(p->at + size - host);
    const char *end = memchr(host, is_bracketed ? ']' : ':', most);
    const size_t host_size = end != NULL ? (size_t)(end - host) : most;
    if ((is_bracketed && end == NULL)
            || !is_host(host, host_size, is_bracketed))
        return refuse(p, "expected the name or address of a host");
    p->url->host = strndup(host, host_size);
    if (p->url->host == NULL) return no_memory(p);
    const char *rest = host + host_size + (is_bracketed ? 1 : 0);
    const char *stop = p->at + size;
    p->url->port = usual_port;
    p->at = stop;
    if (rest == stop) return 0;
    if (*rest != ':')
        return refuse(p, "expected the name or address of a host");
    return read_port(p, rest + 1, (size_t)(stop - rest - 1));
}

/* Are all %XX right, and is no part "." or ".."? */
static bool is_web_path(const char *path, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char *at = path + i;
        if (*at == '%' && remote_percent_byte(at, size - i) < 0) return false;
        if (!is_letter(*at) && !is_digit(*at)
                && !is_one_of(*at, "%-._~!$&'()*+,;=:@/"))
            return false;
        if (*at != '/') continue;
        const size_t part = strcspn(at + 1, "/");
        if (i + 1 + part > size) continue;
        if ((part == 1 && at[1] == '.')
                || (part == 2 && at[1] == '.' && at[2] == '.'))
            return false;
    }
    return true;
}

static int read_web_path(struct parse *p, size_t size)
{
    while (size > 0 && p->at[size - 1] == '/')
        size--;
    if (!is_web_path(p->at, size))
        return refuse(p, "the path: expected /NAME/NAME ... as in a URL");
    p->url->path = strndup(p->at, size);
    return p->url->path != NULL ? 0 : no_memory(p);
}

static int read_database(const struct parse *p, size_t size)
{
    enum { most_database = 65535 };
    uint64_t number = 0;
    if (size <= 1) return 0;
    if (!parse_number(&number, p->at + 1, size - 1) || number > most_database)
        return refuse(p, "expected the number of a database behind the host");
    p->url->database = (unsigned)number;
    return 0;
}

static int read_socket(const struct parse *p, size_t size)
{
    if (size == 0 || p->at[0] != '/')
        return refuse(p, "expected the absolute path of a socket: "
                         "unix:///PATH");
    const int error = decode(p, &p->url->path, "the socket", p->at, size);
    if (error != 0) return error;
    if (strlen(p->url->path) >= socket_path_size)
        return refuse(p, "the path of the socket is too long");
    return 0;
}

static int read_place(struct parse *p, const struct scheme *scheme)
{
    int error = 0;
    if (scheme->scheme != remote_scheme_unix)
        error = read_host(p, scheme->port);
    const size_t size = strlen(p->at);
    if (error != 0) return error;
    if (scheme->scheme == remote_scheme_unix) return read_socket(p, size);
    if (scheme->scheme == remote_scheme_redis) return read_database(p, size);
    return read_web_path(p, size);
}

/* The place, for messages. */
static int write_text(const struct parse *p, const struct scheme *scheme)
{
    struct remote_url *u = p->url;
    char place[most_text + 64];
    char port[16] = "";
    char database[16] = "";
    const bool is_address = u->host != NULL && strchr(u->host, ':') != NULL;
    if (u->port != scheme->port)
        (void)snprintf(port, sizeof port, ":%u", (unsigned)u->port);
    if (u->database != 0)
        (void)snprintf(database, sizeof database, "/%u", u->database);
    (void)snprintf(place, sizeof place, "%s://%s%s%s%s%s%s", scheme->name,
            is_address ? "[" : "", u->host != NULL ? u->host : "",
            is_address ? "]" : "", port, u->path != NULL ? u->path : "",
            database);
    u->text = strdup(place);
    return u->text != NULL ? 0 : no_memory(p);
}

/* ---- A URL --------------------------------------------------------------- */

/* Of the place, up to the options, as a text of its own. */
static int read_all(struct parse *p, const char *text)
{
    const struct scheme *scheme = NULL;
    const char *question = strchr(text, '?');
    char *place = question != NULL ? strndup(text, (size_t)(question - text))
                                   : strdup(text);
    if (place == NULL) return no_memory(p);
    p->at = place;
    int error = read_scheme(p, &scheme);
    if (error == 0) error = read_place(p, scheme);
    if (error == 0) error = write_text(p, scheme);
    free(place);
    if (error != 0) return error;
    p->at = question != NULL ? question + 1 : NULL;
    return read_options(p);
}

static bool has_bad_characters(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text <= ' ' || *text > '~' || *text == '#') return true;
    return false;
}

static int read_variables(struct parse *p)
{
    static const char *const names[remote_variable_count] = {
            [remote_variable_redis_user] = "DNNL_CACHE_REDIS_USER",
            [remote_variable_redis_password] = "DNNL_CACHE_REDIS_PASSWORD",
            [remote_variable_aws_id] = "AWS_ACCESS_KEY_ID",
            [remote_variable_aws_secret] = "AWS_SECRET_ACCESS_KEY",
            [remote_variable_aws_session] = "AWS_SESSION_TOKEN",
    };
    for (size_t i = 0; i < remote_variable_count; i++) {
        const char *text = getenv(names[i]);
        if (text == NULL || text[0] == '\0') continue;
        p->url->variables[i] = strdup(text);
        if (p->url->variables[i] == NULL) return no_memory(p);
    }
    return 0;
}

int remote_url_parse(
        struct remote_url *url, const char *text, char why[remote_why_size])
{
    struct remote_url read = {
            .timeout_ms = remote_default_timeout_ms,
            .lease_ms = remote_default_lease_ms,
            .max_blob_bytes = remote_default_max_blob_bytes,
    };
    struct parse p = {.url = &read, .why = why};
    int error = 0;
    if (text == NULL || strnlen(text, most_text + 1) > most_text)
        error = refuse(&p, "expected a URL of at most %d bytes", most_text);
    else if (has_bad_characters(text))
        error = refuse(&p, "it has a character that must be written as %%XX");
    else
        error = read_all(&p, text);
    if (error == 0) error = read_variables(&p);
    if (error != 0) remote_url_fini(&read);
    *url = read;
    return error;
}

void remote_url_fini(struct remote_url *url)
{
    char **const owned[] = {&url->text, &url->host, &url->path, &url->prefix,
            &url->key_file, &url->old_key_file, &url->public_key_file,
            &url->old_public_key_file, &url->sign_key_file,
            &url->encryption_key_file, &url->old_encryption_key_file,
            &url->user, &url->password_file, &url->token_file, &url->ca_file,
            &url->client_cert, &url->client_key, &url->aws_region,
            &url->aws_keys_file};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(*owned[i]);
    for (size_t i = 0; i < remote_variable_count; i++) {
        if (url->variables[i] == NULL) continue;
        secret_clear(url->variables[i], strlen(url->variables[i]));
        free(url->variables[i]);
    }
    memset(url, 0, sizeof *url);
}

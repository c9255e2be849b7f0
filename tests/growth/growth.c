/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads texts of one shape each: growth SIZE [SHAPE ...] makes a text of SIZE
 * bytes of each shape (of all, without one), reads it, and does the same with
 * twice and four times the size. growth.py counts the instructions of
 * measured().
 */
#include "growth.h"

#include "src/drivers/option_words.h"
#include "src/includes/build_options.h"
#include "src/includes/include_paths.h"
#include "src/includes/include_scan.h"
#include "src/includes/includes.h"
#include "stores/http/http_list.h"
#include "stores/redis/redis_reply.h"
#include "stores/remote/thread/remote_url.h"
#include "tools/common/id/failure_log.h"
#include "tools/common/state/applications.h"
#include "tools/common/state/configuration.h"
#include "tools/common/text/json_tree.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/id_file.h"
#include "tools/run/conf_edit.h"
#include "tools/run/layer_list.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Readers ------------------------------------------------------------- */

static bool accept_folder(const char *folder, void *user)
{
    (void)folder;
    (void)user;
    return true;
}

static void read_options(char *text, size_t size)
{
    char reason[160];
    struct include_paths paths;
    (void)size;
    (void)options_include_files(text);
    (void)options_make_strings(text);
    (void)option_folders_are(text, accept_folder, NULL);
    (void)include_paths_init(&paths, text, sizeof reason, reason);
    include_paths_fini(&paths);
}

static void read_source(char *text, size_t size)
{
    struct include_scan scan;
    struct include_directive found;
    include_scan_init(&scan, text, size);
    while (include_scan_next(&scan, &found))
        continue;
}

static void follow(char *text, size_t size, const char *options)
{
    const char *source = text;
    struct includes includes;
    (void)includes_follow(&includes, NULL, NULL, 1, &source, &size, options);
}

static void follow_source(char *text, size_t size)
{
    follow(text, size, "");
}

/* Of the text each line is an option, and included as a macro. */
static void follow_macros(char *text, size_t size)
{
    static char options[1 << 20];
    static char source[1 << 20];
    size_t at = (size_t)snprintf(options, sizeof options, "-DS(x)=#x ");
    size_t used = 0;
    unsigned count = 0;
    for (char *p = text; *p != '\0'; count++) {
        const size_t line = strcspn(p, "\n");
        at += (size_t)snprintf(options + at, sizeof options - at, "-DM%u=%.*s ",
                count, (int)line, p);
        used += (size_t)snprintf(source + used, sizeof source - used,
                "#define X%u %u\n#include S(M%u)\n", count, count, count);
        p += line + (p[line] != '\0');
    }
    (void)size;
    follow(source, used, options);
}

static void read_url(char *text, size_t size)
{
    char why[remote_why_size];
    struct remote_url url = {0};
    (void)size;
    if (remote_url_parse(&url, text, why) == 0) remote_url_fini(&url);
}

static bool accept_name(void *user, const char *name, size_t size)
{
    (void)user;
    (void)name;
    (void)size;
    return true;
}

static void read_list(char *text, size_t size)
{
    char cursor[http_cursor_size];
    (void)http_list_parse(text, size, "", accept_name, NULL, cursor);
}

static void read_json(char *text, size_t size)
{
    struct json_tree tree;
    if (json_tree_read(&tree, text, size)) json_tree_fini(&tree);
}

/* As it comes from a socket. */
static void read_replies(char *text, size_t size)
{
    enum { piece = 512 };
    struct redis_reader *reader = redis_reader_create(1 << 24);
    struct redis_reply *reply = NULL;
    int error = 0;
    for (size_t at = 0; at < size && error == 0; at += piece) {
        error = redis_reader_feed(
                reader, text + at, size - at < piece ? size - at : piece);
        while (error == 0 && (error = redis_reader_next(reader, &reply)) == 0
                && reply != NULL)
            redis_reply_destroy(reply);
    }
    redis_reader_destroy(reader);
}

static void read_applications(char *text, size_t size)
{
    (void)size;
    (void)applications_name(text, "/usr/local/bin/an-application-of-some-kind");
}

static const char *no_variable(void *user, const char *name)
{
    (void)user;
    (void)name;
    return NULL;
}

static void no_report(void *user, const char *text)
{
    (void)user;
    (void)text;
}

static void read_configuration(char *text, size_t size)
{
    const struct configuration_reader reader = {no_variable, no_report, NULL};
    char path[PATH_MAX];
    FILE *file = fopen("layer.conf", "w");
    if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0
            || chmod("layer.conf", 0600) != 0
            || realpath("layer.conf", path) == NULL)
        abort();
    struct configuration *configuration =
            configuration_read_file(&reader, path, false);
    (void)configuration_get(configuration, "DNNL_CACHE_SEED", NULL);
    configuration_free(configuration);
}

static void edit_configuration(char *text, size_t size)
{
    char why[128];
    (void)conf_edit_is_good(text, size, why, sizeof why);
    free(conf_edit_get(text, "DNNL_CACHE_SEED"));
    free(conf_edit_set(text, "DNNL_CACHE_SEED", "/a"));
}

static void edit_list(char *text, size_t size)
{
    (void)size;
    free(conf_edit_list_with(text, "a"));
}

static void read_layers(char *text, size_t size)
{
    (void)size;
    free(layer_list_with(text, "/usr/lib/a.so"));
    free(layer_list_without(text, "/usr/lib/a.so"));
}

static enum tool_exit see_id(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    (void)id_size;
    (void)id;
    return exit_ok;
}

static void read_id_file(char *text, size_t size)
{
    struct options options = {.store = NULL};
    struct tool tool = {.options = &options, .out = stdout, .err = stderr};
    FILE *file = fopen("ids", "w");
    if (file == NULL || fwrite(text, 1, size, file) != size
            || fclose(file) != 0)
        abort();
    if (id_file_read(&tool, "ids", see_id, NULL) != exit_ok) abort();
}

/* What a driver said, as it is shown. */
static void read_log(char *text, size_t size)
{
    free(text_printable(text, size));
}

/* What a build that failed wrote. */
static void read_failure(char *text, size_t size)
{
    (void)failure_log_blames_source(text, size);
    (void)failure_log_is_same(text, size, text, size);
}

/* ---- Shapes -------------------------------------------------------------- */

#define OPTIONS(name, head, unit, tail)                       \
    {                                                         \
        "options-" name, read_options, head, unit, tail, NULL \
    }
#define SOURCE(name, head, unit, tail)                      \
    {                                                       \
        "source-" name, read_source, head, unit, tail, NULL \
    }
#define FOLLOW(name, head, unit, tail)                        \
    {                                                         \
        "follow-" name, follow_source, head, unit, tail, NULL \
    }

#define FAILURE(name, head, unit, tail)                       \
    {                                                         \
        "failure-" name, read_failure, head, unit, tail, NULL \
    }

static const struct shape shapes[] = {
        FAILURE("places", "", "a%u.cl:7:13: error: e\n", ""),
        FAILURE("numbers", "a", ":7", "\n"),
        FAILURE("digits", "a:", "7", "\n"),
        FAILURE("lines", "", "\n", ""),
        OPTIONS("letters", "-DA=", "x", ""),
        OPTIONS("definitions-in-one", "-DA=", "-D", ""),
        OPTIONS("empty-quotes", "-DA=", "\"\"", ""),
        OPTIONS("quotes", "-DA=", "\"", ""),
        OPTIONS("single-quotes", "-DA=", "'", ""),
        OPTIONS("quotes-and-letters", "-DA=", "a\"", ""),
        OPTIONS("quoted-blanks", "-DA=\"", " -D", "\""),
        OPTIONS("backslashes", "-DA=", "\\", ""),
        OPTIONS("escaped-quotes", "-DA=", "\\\"", ""),
        OPTIONS("culprit", "", "-w ", "-include-pch x"),
        OPTIONS("early-culprit", "-include-pch x ", "-w ", ""),
        OPTIONS("culprit-in-quotes", "", "-DA=\"\" ", "@x"),
        OPTIONS("definitions", "", "-DA%u=1 ", ""),
        OPTIONS("definitions-apart", "", "-D A%u ", ""),
        OPTIONS("folders", "", "-Ia%u ", ""),
        OPTIONS("folders-in-quotes", "", "-I\"a%u b\" ", ""),
        OPTIONS("folders-apart", "", "-I a%u ", ""),
        OPTIONS("folders-in-one", "-I", "-I", ""),
        OPTIONS("no-folders", "", "-I ", ""),
        OPTIONS("files", "", "-include a%u ", ""),
        OPTIONS("underscores", "-DA=a", "_", ""),
        OPTIONS("operators", "-DA=a", "_h", ""),
        OPTIONS("dots", "-DA=1", ".", ""),
        OPTIONS("directives", "-DA=1", ".in\"\"", ""),
        OPTIONS("asm", "-DA=1", "as\"\"", ""),
        OPTIONS("blanks", "-DA", " ", "-DB"),
        OPTIONS("tabs", "-DA", "\t", "-DB"),
        OPTIONS("unknown", "-W", "-x", ""),
        SOURCE("letters", "", "x", ""),
        SOURCE("words", "", "a%u ", ""),
        SOURCE("blanks", "", " ", ""),
        SOURCE("lines", "", "\n", ""),
        SOURCE("splices", "", "\\\n", ""),
        SOURCE("splices-with-blanks", "", "\\ \n", ""),
        SOURCE("backslashes", "", "\\", ""),
        SOURCE("splices-in-a-word", "#inc", "\\\n", "lude \"a.h\"\n"),
        SOURCE("hashes", "", "#", ""),
        SOURCE("hash-lines", "", "#\n", ""),
        SOURCE("digraphs", "", "%%:", ""),
        SOURCE("trigraphs", "", "?\?=", ""),
        SOURCE("questions", "", "?", ""),
        SOURCE("comments", "", "/**/", ""),
        SOURCE("comment-begins", "", "/*", ""),
        SOURCE("comment-in-a-line", "# ", "/**/", "include \"a.h\"\n"),
        SOURCE("line-comments", "", "//\\\n", ""),
        SOURCE("quotes", "", "\"", ""),
        SOURCE("strings", "", "\"a\" ", ""),
        SOURCE("string-lines", "", "\"\n", ""),
        SOURCE("single-quotes", "", "'", ""),
        SOURCE("escapes", "\"", "\\x41", "\""),
        SOURCE("raw-strings", "", "R\"(", ""),
        SOURCE("ifs", "", "#if 1\n", ""),
        SOURCE("endings", "", "#if 1\n#endif\n", ""),
        SOURCE("definitions", "", "#define A%u 1\n", ""),
        SOURCE("one-definition", "#define A ", "B ", "\n"),
        SOURCE("makes-strings", "", "#define S(x) #x\n", ""),
        SOURCE("pastes", "#define A ", "a##", "b\n"),
        SOURCE("includes", "", "#include \"a%u\"\n", ""),
        SOURCE("same-includes", "", "#include <a.h>\n", ""),
        SOURCE("open-include", "#include \"", "a", ""),
        SOURCE("macro-includes", "", "#include A\n", ""),
        SOURCE("pragmas", "", "#pragma unroll\n", ""),
        SOURCE("unknown-pragmas", "", "#pragma x y\n", ""),
        SOURCE("pragma-operators", "", "_Pragma(\"x\")\n", ""),
        SOURCE("parentheses", "_Pragma", "(", ""),
        SOURCE("asm", "", "asm(\"a\");\n", ""),
        SOURCE("asm-strings", "asm(", "\"a\" ", ");\n"),
        SOURCE("asm-dots", "asm(\"\");", "\".\" ", ""),
        SOURCE("has-include", "", "__has_include\n", ""),
        SOURCE("dots", "", ".", ""),
        SOURCE("numbers", "", "1.e+", ""),
        SOURCE("errors", "", "#error /*\n", ""),
        SOURCE("carriage-returns", "", "\r", ""),
        FOLLOW("same-file", "", "#include \"a.h\"\n", ""),
        FOLLOW("names-of-a-file", "", "#include \"l/%u.h\"\n", ""),
        FOLLOW("links-to-a-file", "", "#include \"%u/a.h\"\n", ""),
        FOLLOW("paths-to-a-file", "", "#include \"%u/../a.h\"\n", ""),
        FOLLOW("files", "", "#include \"f/%u.h\"\n", ""),
        {"follow-macros", follow_macros, "", "a.h\n", "", NULL},
        {"url-host", read_url, "redis://", "a", "", NULL},
        {"url-options", read_url, "redis://a?", "insecure=1&", "", NULL},
        {"url-value", read_url, "redis://a?key_file=/", "%%41", "", NULL},
        {"url-path", read_url, "http://a/", "b/", "", NULL},
        {"list-names", read_list, "<ListBucketResult>",
                "<Contents><Key>a%u</Key></Contents>", "</ListBucketResult>",
                NULL},
        {"list-tags", read_list, "<ListBucketResult>", "<a>", "", NULL},
        {"list-entities", read_list, "<ListBucketResult><Contents><Key>",
                "&amp;", "</Key></Contents></ListBucketResult>", NULL},
        {"json-numbers", read_json, "[0", ",%u", "]", NULL},
        {"json-texts", read_json, "[0", ",\"\\u0041\"", "]", NULL},
        {"json-text", read_json, "\"", "\\n", "\"", NULL},
        {"json-members", read_json, "{\"a\":0", ",\"a%u\":1", "}", NULL},
        {"json-depth", read_json, "", "[", "", NULL},
        {"redis-replies", read_replies, "", "+OK\r\n", "", NULL},
        {"redis-texts", read_replies, "", "$2\r\nab\r\n", "", NULL},
        /* One line has at most 64 KiB. */
        {"redis-lines", read_replies, "", "+0123456789abcdef%u\r\n", "", NULL},
        {"redis-array", read_replies, "*1000000\r\n", ":1\r\n", "", NULL},
        {"redis-depth", read_replies, "", "*1\r\n", "", NULL},
        {"applications", read_applications, "", "a%u:", "", NULL},
        {"applications-patterns", read_applications, "", "*a:", "", NULL},
        {"applications-stars", read_applications, "", "*", "x", NULL},
        /* A file has at most 64 KiB. */
        {"configuration", read_configuration, "", "DNNL_CACHE_SEED = /a%u\n",
                "", NULL},
        {"configuration-blanks", read_configuration, "", " ", "", NULL},
        {"configuration-lines", read_configuration, "", "\n", "", NULL},
        {"configuration-comments", read_configuration, "", "# =\n", "", NULL},
        {"configuration-unknown", read_configuration, "", "A%u=\n", "", NULL},
        {"configuration-equals", read_configuration, "DNNL_CACHE_SEED ", "=",
                "", NULL},
        {"configuration-no-equals", read_configuration, "", "#\n", "A\n", NULL},
        {"configuration-edit", edit_configuration, "",
                "DNNL_CACHE_SEED = /a%u\n", "", NULL},
        {"configuration-list", edit_list, "", "a%u:", "", NULL},
        {"layers", read_layers, "", "/usr/lib/l%u.so:", "", NULL},
        {"layers-same", read_layers, "", "a.so:", "", NULL},
        {"layers-empty", read_layers, "", ":", "", NULL},
        {"id-file", read_id_file, "", "0123456789\n", "", NULL},
        {"id-file-lines", read_id_file, "", "\n", "", NULL},
        {"id-file-digits", read_id_file, "", "00", "\n", NULL},
        {"log-lines", read_log, "", "a.cl:%u:1: warning: a warning\n", "",
                NULL},
        {"log-escapes", read_log, "", "\x1b", "", NULL},
};

enum { shape_count = sizeof shapes / sizeof shapes[0] };

/* ---- Bytes --------------------------------------------------------------- */

void must(bool is_so)
{
    if (!is_so) abort();
}

void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "w");
    must(file != NULL && fwrite(data, 1, size, file) == size
            && fclose(file) == 0);
}

const uint8_t *bytes_of(const char *text)
{
    return (const uint8_t *)text;
}

void put(struct out *out, const void *data, size_t size)
{
    if (size > out->capacity - out->size) {
        out->capacity = 2 * (out->capacity + size);
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) abort();
    }
    if (size > 0) memcpy(out->data + out->size, data, size);
    out->size += size;
}

void put_text(struct out *out, const char *text)
{
    put(out, text, strlen(text));
}

void put_u32(struct out *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        put(out, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

void put_u64(struct out *out, uint64_t value)
{
    put_u32(out, (uint32_t)value);
    put_u32(out, (uint32_t)(value >> 32));
}

void put_none(struct out *out, size_t size)
{
    while (size-- > 0)
        put(out, "", 1);
}

/* ---- Running ------------------------------------------------------------- */

static void put_unit(struct out *out, const char *unit, unsigned number)
{
    char text[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int size = snprintf(text, sizeof text, unit, number);
#pragma GCC diagnostic pop
    if (size < 0 || (size_t)size >= sizeof text) abort();
    put(out, text, (size_t)size);
}

/* The caller's. */
static char *make_text(const struct shape *shape, size_t wanted, size_t *size)
{
    struct out out = {NULL, 0, 0};
    if (shape->unit == NULL) {
        shape->make(&out, wanted);
    } else {
        put_unit(&out, shape->head, 0);
        for (unsigned i = 0; out.size < wanted; i++)
            put_unit(&out, shape->unit, i);
        put_unit(&out, shape->tail, 0);
    }
    *size = out.size;
    put(&out, "", 1);
    return (char *)out.data;
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL || fclose(file) != 0) abort();
}

/* What the shapes include, so many each. */
static void make_files(size_t wanted)
{
    make_file("a.h");
    if (mkdir("l", 0700) != 0 || mkdir("f", 0700) != 0) abort();
    for (unsigned i = 0; i < wanted / 16; i++) {
        char path[64];
        snprintf(path, sizeof path, "f/%u.h", i);
        make_file(path);
        snprintf(path, sizeof path, "l/%u.h", i);
        if (link("a.h", path) != 0) abort();
        snprintf(path, sizeof path, "%u", i);
        if (mkdir(path, 0700) != 0) abort();
        snprintf(path, sizeof path, "%u/a.h", i);
        if (link("a.h", path) != 0) abort();
    }
}

void measured(const struct shape *shape, char *text, size_t size);

void measured(const struct shape *shape, char *text, size_t size)
{
    shape->read(text, size);
}

/* Not inline, nor as a copy of another name. */
static void (*volatile const measure)(
        const struct shape *shape, char *text, size_t size) = measured;

static void run(const struct shape *shape, size_t wanted)
{
    size_t size;
    char *text = make_text(shape, wanted, &size);
    measure(shape, text, size);
    printf("%s %zu\n", shape->name, size);
    free(text);
}

static bool is_wanted(const struct shape *shape, int argc, char **argv)
{
    bool is = argc == 2;
    for (int i = 2; i < argc && !is; i++)
        is = strcmp(argv[i], shape->name) == 0;
    return is;
}

static void run_all(const struct shape *all, size_t count, size_t wanted,
        int argc, char **argv)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(&all[i], argc, argv)) continue;
        run(&all[i], wanted);
        run(&all[i], 2 * wanted);
        run(&all[i], 4 * wanted);
    }
}

/* Is one of the wanted shapes a source that includes them? */
static bool includes_files(int argc, char **argv)
{
    bool is = argc == 2;
    for (int i = 2; i < argc && !is; i++)
        is = strncmp(argv[i], "follow-", 7) == 0;
    return is;
}

int main(int argc, char **argv)
{
    const size_t wanted = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    char folder[] = "growthXXXXXX";
    if (wanted < 16) {
        fprintf(stderr, "usage: growth SIZE [SHAPE ...]\n");
        return 2;
    }
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
    if (includes_files(argc, argv)) make_files(4 * wanted);
    run_all(shapes, shape_count, wanted, argc, argv);
    run_all(store_shapes, store_shape_count, wanted, argc, argv);
    run_all(id_shapes, id_shape_count, wanted, argc, argv);
    run_all(binary_shapes, binary_shape_count, wanted, argc, argv);
    run_all(model_shapes, model_shape_count, wanted, argc, argv);
    return fflush(stdout) == 0 ? 0 : 1;
}

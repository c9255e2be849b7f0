/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs with assembly and macros that make strings, against a
 * compiler and its assembler: where the bytes of a file are in what these make,
 * the program must be refused. Needs a clang; DNNL_CACHE_TEST_LONG makes it
 * long.
 */
#include "include_helpers.h"
#include "test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_text = 1 << 14, most_macros = 64, most_depth = 5 };

static const char marker[] = "what the assembler reads";

/* A program in the making: definitions, which go anywhere before the rest. */
struct program {
    uint64_t seed;
    bool reads; /* its assembly may be of what reads a file */
    int macro_count;
    char definitions[most_macros][256];
    char rest[most_text];
    size_t size;
};

static uint64_t draw(struct program *p, uint64_t below)
{
    uint64_t z = p->seed += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (z ^ (z >> 31)) % below;
}

/* Adds a macro of a new name: `parameters`, then a body. The name's number. */
__attribute__((format(printf, 3, 4))) static int define(
        struct program *p, const char *parameters, const char *format, ...)
{
    va_list args;
    char body[200];
    const int number = p->macro_count < most_macros ? p->macro_count++ : 0;
    va_start(args, format);
    (void)vsnprintf(body, sizeof body, format, args);
    va_end(args);
    (void)snprintf(p->definitions[number], sizeof p->definitions[number],
            "#define M%d%s %s\n", number, parameters, body);
    return number;
}

struct text {
    char s[160];
};

__attribute__((format(printf, 1, 2))) static struct text text(
        const char *format, ...)
{
    struct text t;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(t.s, sizeof t.s, format, args);
    va_end(args);
    return t;
}

/* What the preprocessor makes the word asm of. */
static struct text a_word(struct program *p, int depth)
{
    static const char *const plain[] = {"asm", "__asm__", "__asm"};
    static const char *const pasted[] = {"C(as, m)", "V(__a, sm)", "V(A, m)",
            "I(C, __as, m__)", "T(as, m)", "E(C)(as, m)", "W"};
    const uint64_t way = depth > most_depth ? 0 : draw(p, 8);
    if (way < 4) return text("%s", plain[draw(p, COUNT(plain))]);
    if (way == 4) return text("%s", pasted[draw(p, COUNT(pasted))]);
    const struct text inner = a_word(p, depth + 1);
    if (way == 5) return text("E(%s)", inner.s);
    const int number = define(p, "", "%s", inner.s);
    return way == 6 ? text("M%d", number) : text("C(M, %d)", number);
}

/* What it makes a string of that is a part of a directive. */
static struct text a_part(struct program *p, const char *part, int depth)
{
    const uint64_t way = depth > most_depth ? 0 : draw(p, 8);
    if (way < 3) return text("S(%s)", part);
    if (way == 3) return text("X(%s)", part);
    if (way == 4) return text("M%d(%s)", define(p, "(x)", "#x"), part);
    const struct text inner = a_part(p, part, depth + 1);
    if (way == 5) return text("E(%s)", inner.s);
    return text("M%d", define(p, "", "%s", inner.s));
}

static struct text a_string(struct program *p)
{
    static const char *const parts[][2] = {
            {".", "incbin"}, {".inc", "bin"}, {".in", "cbin"}, {".i", "ncbin"}};
    if (!p->reads || draw(p, 4) == 0) return text("\"nop\"");
    const size_t i = (size_t)draw(p, COUNT(parts));
    const struct text first = a_part(p, parts[i][0], 0);
    const struct text second = a_part(p, parts[i][1], 0);
    return text("%s %s \" \\\"marker\\\"\"", first.s, second.s);
}

__attribute__((format(printf, 2, 3))) static void add(
        struct program *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int size = vsnprintf(
            p->rest + p->size, sizeof p->rest - p->size, format, args);
    va_end(args);
    if (size > 0) p->size += (size_t)size;
}

/* Assembly in its ways to stand, some of which divide it. */
static void add_statement(struct program *p)
{
    const struct text word = a_word(p, 0);
    const struct text string = a_string(p);
    switch (draw(p, 9)) {
    case 0:
        add(p, "F(%s, %s);\n", word.s, string.s);
        break;
    case 1:
        add(p, "%s\n#if 0\n;\n#endif\n(%s);\n", word.s, string.s);
        break;
    case 2:
        add(p, "%s(D(;) %s);\n", word.s, string.s);
        break;
    case 3:
        add(p, "%s O %s);\n", word.s, string.s);
        break;
    case 4:
        add(p, "M%d(%s);\n", define(p, "(x)", "%s(x)", word.s), string.s);
        break;
    case 5:
        add(p, "#if 1\n%s\n#else\n;\n#endif\n(%s);\n", word.s, string.s);
        break;
    default:
        add(p, "%s(%s);\n", word.s, string.s);
        break;
    }
}

/* What is not assembly and uses the same macros. */
static void add_other(struct program *p)
{
    static const char *const lines[] = {"char t%d[] = S(a);\n",
            "int C(n, %d);\n", "int V(k, %d);\n", "char u%d[] = X(.) S(b);\n",
            "#if 0\nthe %d's (\n#endif\n", "int w%d; D(S(.));\n"};
    static int count;
    const char *line = lines[draw(p, COUNT(lines))];
    const char *number = strstr(line, "%d");
    add(p, "%.*s%d%s", (int)(number - line), line, count++, number + 2);
}

static void make_program(struct program *p, char out[2 * most_text])
{
    static const char common[] =
            "#define X(x) S(x)\n#define S(x) #x\n#define C(a, b) a##b\n"
            "#define V(a, b) C(a, b)\n#define E(x) x\n#define D(x)\n"
            "#define F(a, b) a(b)\n#define A as\n";
    static const char *const some[] = {"#define O (\n",
            "#define I(f, a, b) f(a, b)\n", "#define T C\n",
            "#define W a##s##m\n"};
    p->reads = draw(p, 2) == 0;
    for (uint64_t n = 1 + draw(p, 3); n > 0; n--) {
        while (draw(p, 2) == 0)
            add_other(p);
        add_statement(p);
    }
    int size = snprintf(out, 2 * most_text, "%s", common);
    for (size_t i = 0; i < COUNT(some); i++)
        if (strstr(p->rest, ((const char[]){some[i][8], '\0'})) != NULL
                || draw(p, 8) == 0)
            size += snprintf(
                    out + size, 2 * most_text - (size_t)size, "%s", some[i]);
    for (int i = 0; i < p->macro_count; i++)
        size += snprintf(out + size, 2 * most_text - (size_t)size, "%s",
                p->definitions[i]);
    (void)snprintf(out + size, 2 * most_text - (size_t)size, "%s", p->rest);
}

static bool has_clang(void)
{
    return system("command -v clang >/dev/null 2>&1") == 0;
}

/* True if the assembler read the file: its bytes are in what it made. */
static bool reads_marker(const char *source)
{
    char object[1 << 16];
    put_file("program.c", source);
    remove("program.o");
    if (system("clang -w -c -x c -o program.o program.c 2>/dev/null") != 0)
        return false;
    FILE *file = fopen("program.o", "rb");
    const size_t size =
            file != NULL ? fread(object, 1, sizeof object, file) : 0;
    if (file != NULL) (void)fclose(file);
    return memmem(object, size, marker, sizeof marker - 1) != NULL;
}

TEST_C(IncludeAssemblyCampaign, RefusesWhatTheAssemblerReads)
{
    const bool is_long = getenv("DNNL_CACHE_TEST_LONG") != NULL;
    static struct program p;
    static char source[2 * most_text];
    int taken = 0;
    int reading = 0;
    uint64_t seed = test_seed();
    if (!has_clang()) SKIP_TEST("needs clang");
    enter_files();
    put_file("marker", marker);
    for (int i = 0; i < (is_long ? 20000 : 60); i++) {
        struct includes found;
        const char *const sources[] = {source};
        memset(&p, 0, sizeof p);
        p.seed = seed++;
        make_program(&p, source);
        const bool is_taken = follow_sources(&found, 1, sources, NULL, "");
        const bool reads = reads_marker(source);
        taken += is_taken;
        reading += reads;
        if (is_taken && reads)
            test_fail(
                    __FILE__, __LINE__, "taken, and reads a file:\n%s", source);
    }
    printf("%d taken, %d read a file\n", taken, reading);
    EXPECT_GT(taken, 0);
    EXPECT_GT(reading, 0);
    leave_files();
}

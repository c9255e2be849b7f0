/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/build_options.h"

#include "src/includes/include_assembly.h"
#include "src/includes/include_text.h"

#include <stddef.h>
#include <string.h>

enum {
    word_size = 128, /* of an option as far as it is told apart */
};

/* Options with an argument, in the same word or in the next. */
static const char *const with_argument[] = {
        "-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-x", NULL};

/* How an argument of -x may begin: no language that reads a source in a way of
 * its own. */
static const char *const languages[] = {"cl", "clc++", "spir", "spirv", NULL};

/* Options that are harmless as they are. */
static const char *const exact[] = {"-w", "-v", "-q", "-create-library",
        "-enable-link-options", "-profiling", "-save-temps", "-flto",
        "-fopenmp", "-fopenmp-simd", "-fintegrated-as", "-ftime-report",
        "-fverbose-asm", "-fPIC", "-fpic", "-fPIE", "-fpie", "-vc-codegen",
        /* Arithmetic. */
        "-ffast-math", "-ffinite-math-only", "-fassociative-math",
        "-freciprocal-math", "-funsafe-math-optimizations", "-fsigned-zeros",
        "-ftrapping-math", "-frounding-math", "-fmath-errno", "-fapprox-func",
        "-fhonor-nans", "-fhonor-infinities", "-fhonor-infinites",
        "-fstrict-float-cast-overflow", "-fprotect-parens", "-fwrapv",
        "-ftrapv", "-ffp-contract", "-fsingle-precision-constant",
        "-ffloat-store",
        /* Optimization. */
        "-funroll-loops", "-funroll-all-loops", "-freroll-loops", "-fvectorize",
        "-fslp-vectorize", "-ftree-vectorize", "-ftree-slp-vectorize",
        "-finline", "-finline-functions", "-finline-hint-functions",
        "-fbuiltin", "-fstrict-aliasing", "-fstrict-overflow", "-fstrict-enums",
        "-fstrict-return", "-fstrict-vtable-pointers", "-fcommon",
        "-fomit-frame-pointer", "-foptimize-sibling-calls",
        "-ffunction-sections", "-fdata-sections", "-fmerge-all-constants",
        "-fkeep-static-consts", "-fjump-tables", "-fdelete-null-pointer-checks",
        "-fgcse", "-fzero-initialized-in-bss", "-fwhole-program-vtables",
        "-fsplit-lto-unit", "-fsplit-machine-functions", "-ffreestanding",
        "-fhosted", "-fstack-protector", "-fstack-protector-strong",
        "-fstack-protector-all", "-fexceptions", "-fcxx-exceptions", "-frtti",
        "-fthreadsafe-statics", "-fgpu-rdc", "-fgpu-approx-transcendentals",
        "-fgpu-flush-denormals-to-zero", "-fcuda-flush-denormals-to-zero",
        /* Language; the scan of sources knows what these change. */
        "-fsigned-char", "-funsigned-char", "-fshort-enums", "-fshort-wchar",
        "-fblocks", "-fgnu-keywords", "-fgnu-inline-asm", "-fasm", "-fdeclspec",
        "-fdigraphs", "-ftrigraphs", "-trigraphs", "-fdollars-in-identifiers",
        "-fnative-half-type", "-fnative-half-arguments-and-returns",
        "-fallow-half-arguments-and-returns", "-fforce-enable-int128",
        "-finclude-default-header", "-fdeclare-opencl-builtins", "-pedantic",
        "-pedantic-errors",
        /* Messages. */
        "-fcolor-diagnostics", "-fcaret-diagnostics", "-fspell-checking",
        "-fansi-escape-codes", "-felide-type", "-fshow-column",
        "-fshow-source-location",
        /* Debugging. */
        "-g", "-g0", "-g1", "-g2", "-g3", "-ggdb", "-ggdb0", "-ggdb1", "-ggdb2",
        "-ggdb3", "-glldb", "-gsce", "-gline-tables-only",
        "-gline-directives-only", "-gcolumn-info", "-gno-column-info",
        "-gdwarf", "-gdwarf32", "-gdwarf64", "-gembed-source",
        "-gno-embed-source", "-gstrict-dwarf",
        /* Machines. */
        "-m32", "-m64", "-mx32", "-mfma", "-mfma4", "-mf16c", "-mbmi", "-mbmi2",
        "-mlzcnt", "-mpopcnt", "-mrdrnd", "-maes", "-mpclmul", "-msha", "-mmmx",
        "-mxop", "-mtbm", "-mvzeroupper", "-mstackrealign", "-msoft-float",
        "-mhard-float", "-mcumode", "-mtgsplit", "-mwavefrontsize64",
        "-mamdgpu-ieee", "-munsafe-fp-atomics", "-maltivec", "-mvsx",
        "-mred-zone", "-mrtd", "-mglobal-merge", "-mimplicit-float",
        "-momit-leaf-frame-pointer", "-mrecip", "-marm", "-mthumb", NULL};

/* How options begin that are harmless whatever follows. */
static const char *const prefixes[] = {"-cl-", "-nv-", "-ze-", "-qcom-", "-O",
        "-fno-", "-mno-", "-mavx", "-msse", "-march=", "-mcpu=", "-mtune=",
        "-mabi=", "-mfpu=", "-mfloat-abi=", "-mcmodel=", "-mrecip=",
        "-mprefer-vector-width=", "-mcode-object-version=", "-mlong-double-",
        "-spir-std=", "-save-temps=", "-gdwarf-", "-ffp-contract=",
        "-ffp-model=", "-ffp-exception-behavior=", "-ffp-eval-method=",
        "-fexcess-precision=", "-fdenormal-fp-math=", "-fdenormal-fp-math-f32=",
        "-flto=", "-fvisibility=", "-fmessage-length=", "-ferror-limit=",
        "-fmacro-backtrace-limit=", "-ftemplate-backtrace-limit=",
        "-ftemplate-depth=", "-fconstexpr-depth=", "-fconstexpr-steps=",
        "-fbracket-depth=", "-ftab-stop=", "-fdiagnostics-color",
        "-fdiagnostics-show-", "-fdiagnostics-format=", "-falign-functions",
        "-falign-loops", "-finline-max-stacksize=", "-fbin-",
        "-fopenmp-version=", "-debug-info-kind=", "-dwarf-version=",
        "-debugger-tuning=", NULL};

/* Standards that have // for a comment. */
static const char *const standards[] = {"-std=cl", "-std=CL", "-std=c99",
        "-std=gnu99", "-std=c1", "-std=gnu1", "-std=c2", "-std=gnu2",
        "-std=c++", "-std=gnu++", "-std=iso9899:1999", NULL};

/* What an option must not define a macro as: operators that read files, and
 * directives of assemblers. */
static const char *const doubts[] = {"__has_", ".incbin", ".include", NULL};

/* What it must not contain besides _Pragma. */
static const char *const pragma_doubts[] = {
        "dependency", "module", "include_", "pch_", NULL};

static const char blanks[] = " \t\n\v\f\r";
static const char quotes[] = "\"'\\";

static bool is_among(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* Copies the option at p, up to a blank, without quotes and backslashes. */
static void read_option(const char *p, char word[word_size])
{
    size_t size = 0;
    for (; *p != '\0' && !is_among(*p, blanks) && size < word_size - 1; p++)
        if (!is_among(*p, quotes)) word[size++] = *p;
    word[size] = '\0';
}

/* The option that the word begins with; NULL: none of them. */
static const char *find_prefix(const char *word, const char *const *list)
{
    while (*list != NULL && strncmp(word, *list, strlen(*list)) != 0)
        list++;
    return *list;
}

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list != NULL && strcmp(word, *list) != 0)
        list++;
    return *list != NULL;
}

/* "-1", which may be the value of a macro. */
static bool is_number(const char *word)
{
    return word[0] == '-'
           && (is_among(word[1], "0123456789(") || word[1] == '.');
}

static bool is_harmless(const char *word)
{
    /* A comma is one in -Wp,-include,name. */
    if (strncmp(word, "-W", 2) == 0) return strchr(word, ',') == NULL;
    return is_one_of(word, exact) || find_prefix(word, prefixes) != NULL
           || find_prefix(word, standards) != NULL || is_number(word);
}

/* What the words before say of the next one. */
struct reading {
    bool is_open; /* a double quote is, so that no input begins there */
    const char *argument_of; /* the option whose argument is next; else NULL */
};

/* Checks the word at p, which follows a blank or a quote. */
static bool check_word(struct reading *r, const char *p, bool after_blank)
{
    char word[word_size];
    const char *argument_of = r->argument_of;
    /* The rest of what is between quotes or behind them, such as most is. */
    if (!after_blank && *p != '-' && *p != '@') return true;
    read_option(p, word);
    if (word[0] == '\0') return true; /* its quotes alone */
    if (after_blank) r->argument_of = NULL;
    if (argument_of != NULL && after_blank) {
        if (strcmp(argument_of, "-x") == 0) return is_one_of(word, languages);
        if (word[0] != '-') return word[0] != '@';
    }
    if (word[0] == '@') return false;
    /* An input, unless it is between quotes. */
    if (word[0] != '-') return r->is_open;
    const char *option = find_prefix(word, with_argument);
    if (option == NULL) return is_harmless(word);
    const char *rest = word + strlen(option);
    if (rest[0] == '\0') r->argument_of = option;
    if (strcmp(option, "-x") == 0)
        return rest[0] == '\0' || is_one_of(rest, languages);
    /* -isystem-after and the like are other options. */
    return rest[0] != '-' || option[2] == '\0';
}

static bool check_words(const char *options)
{
    struct reading r = {false, NULL};
    bool after_blank = true;
    for (const char *p = options; *p != '\0'; p++) {
        /* Of quotes in a word the last one, behind which it is the same. */
        const bool begins =
                after_blank
                || (is_among(p[-1], quotes) && !is_among(*p, quotes));
        if (!is_among(*p, blanks) && begins && !check_word(&r, p, after_blank))
            return false;
        if (*p == '"') r.is_open = !r.is_open;
        after_blank = is_among(*p, blanks);
    }
    return true;
}

/* True if the text, which has none, is at p without quotes and backslashes. */
static bool begins_with(const char *p, const char *text)
{
    for (; *text != '\0'; text++) {
        p += strspn(p, quotes);
        if (*p != *text) return false;
        p++;
    }
    return true;
}

static bool has_text(const char *options, const char *text)
{
    for (; *options != '\0'; options++)
        /* Not at each quote of many: it begins behind them. */
        if (*options == *text && begins_with(options, text)) return true;
    return false;
}

static bool has_any_text(const char *options, const char *const *texts)
{
    while (*texts != NULL && !has_text(options, *texts))
        texts++;
    return *texts != NULL;
}

/* ---- Parts of what reads files ------------------------------------------- */

/* True if p is at a dot, and an assembler's directive begins there that ends
 * with the text it stands in: more of it may follow in the source. Of the dot
 * alone only in a string, as numbers may end so. */
static bool begins_directive(const char *p)
{
    static const char *const directives[] = {".incbin", ".include"};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        size_t size = 0;
        while (directives[i][size] != '\0'
                && (p[size] | (size > 0 ? 0x20 : 0)) == directives[i][size])
            size++;
        const char next = p[size];
        if (size == 1 && (next == '"' || (next == '\\' && p[2] == '"')))
            return true;
        if (size > 1 && !is_word_char(next)) return true;
    }
    return false;
}

/* True if p is at a backslash that makes a character of a number or a name. */
static bool is_escape(const char *p)
{
    return p[0] == '\\' && is_among(p[1], "xuUN01234567");
}

/* True if the word at p, of size characters, may begin an operator. */
static bool begins_operator(const char *p, size_t size)
{
    return p[0] == '_'
           && (size == 1 || (size == 2 && p[1] == '_')
                   || (size == 3 && p[1] == '_' && p[2] == 'h'));
}

/* True if the word at p, of size characters, may be a part of the word asm that
 * is more than a letter. */
static bool is_part_of_asm(const char *p, size_t size)
{
    char word[word_size];
    if (size >= sizeof word) return false;
    memcpy(word, p, size);
    word[size] = '\0';
    const unsigned seen = assembly_in_word(word);
    return (seen & (seen - 1u)) != 0;
}

/* True if the word that begins at p may be a part of an operator or of a
 * directive. */
static bool is_part(const char *p)
{
    size_t size = 0;
    while (is_word_char(p[size]))
        size++;
    return size > 0 && (begins_operator(p, size) || is_part_of_asm(p, size));
}

/* Where definitions that have begun are, as a set: what one of them has to say
 * at a character does not depend on where it began, and any -D in one begins
 * another. Each ends at a blank that is not in its quotes. */
enum { outside = 1, in_double = 2, in_single = 4 };

static unsigned inside(char quote)
{
    return quote == '"' ? in_double : in_single;
}

/* A quote begins or ends what is in quotes of its kind. */
static unsigned turn(unsigned open, char quote)
{
    const unsigned own = inside(quote);
    return (open & ~(outside | own)) | ((open & own) != 0 ? outside : 0u)
           | ((open & outside) != 0 ? own : 0u);
}

/* Where the definition begins of the next -D at p or behind it; NULL: there is
 * none. */
static const char *find_definition(const char *p)
{
    p = strstr(p, "-D");
    if (p == NULL) return NULL;
    p += 2;
    p += strspn(p, blanks);
    return p + strspn(p, quotes);
}

/* True if a definition, up to a blank that is not in quotes, may be a part of
 * an operator or of a directive that reads files (include_scan.h): with another
 * one, or with what is in the source, a macro makes it whole. */
static bool any_defines_part(const char *options)
{
    const char *next = find_definition(options);
    unsigned open = 0;
    for (const char *p = options; *p != '\0' && (open != 0 || next != NULL);
            p++) {
        const bool begins = p == next;
        if (begins) {
            const char before = p[-1]; /* of the option's name, at least */
            open |= is_among(before, "\"'") ? inside(before) : outside;
            next = find_definition(p);
        }
        if (is_among(*p, blanks)) open &= ~(unsigned)outside;
        if (open == 0) continue;
        if (begins_directive(p) || is_escape(p)
                || ((begins || !is_word_char(p[-1])) && is_part(p)))
            return true;
        if (is_among(*p, "\"'") && p[-1] != '\\') open = turn(open, *p);
    }
    return false;
}

/* ---- All ----------------------------------------------------------------- */

bool options_include_files(const char *options)
{
    return has_any_text(options, doubts) || any_defines_part(options)
           || (has_text(options, "_Pragma")
                   && has_any_text(options, pragma_doubts))
           || !check_words(options);
}

bool options_make_strings(const char *options)
{
    static const char *const hashes[] = {"#", "%:", "\?\?=", NULL};
    return has_any_text(options, hashes);
}

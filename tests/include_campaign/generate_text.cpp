// SPDX-License-Identifier: Apache-2.0
#include "generate_text.hpp"

#include <iterator>

namespace campaign
{

namespace
{

// Begins and ends of what may hide a directive, whole or not.
const char *const hiding[] = {"/*", "*/", "//", "\"", "'", "don't", "/* */",
        "/*/", "\\\"", "R\"(", ")\"", "'\"'", "\"'\"", "\"/*\"", "\"//\"",
        "'/*'", "\\", "\?\?/", "//\\", "/\\\n*", "1'0", "0x1p-3", "u8\"x\"",
        "#", "\?\?'", "<:", "%:", "\"\\\\\"", "'\\''", "a\\", "\\ ", "@"};

// Lines that take anything behind them, and lines that do not.
const char *const raw_words[] = {"pragma mark", "pragma mark", "pragma  mark",
        "pragma", "pragma unknown", "pragma unroll", "pragma clang mark",
        "pragma region", "pragma OPENCL FP_CONTRACT ON", "pragma\tmark",
        "pragma/**/mark", "pragma ma\\\nrk", "pragma STDC FP_CONTRACT ON",
        "pragma weak x", "pragma pack(push)", "warning", "pragma omp",
        "pragma clang fp contract(on)", "pragma OPENCL EXTENSION all : enable",
        "pragma comment", "pragma GCC ivdep", "warning \\\n", "pragma mark -"};
const char *const picky_words[] = {"pragma GCC warning", "pragma message",
        "pragma clang diagnostic push", "ident", "pragma GCC system_header",
        "pragma GCC poison other", "line 7", "line 7 \"b/other.cl\"",
        "7 \"b/x.h\"", "sccs", "pragma clang __debug comment",
        "pragma redefine_extname", "unassert x", "assert x",
        "pragma message(\"it's\")", "pragma GCC warning \"/*\"", "ident \"/*\"",
        "pragma push_macro"};

// Words that begin a directive wherever it is looked for.
const char *const hashes[] = {"#", "#", "#", "#", "# ", " #", "\t#\t",
        "%:", "\?\?=", "#/**/", "/**/#", "#\\\n", "# \\\n ", "/* a\n b */ #",
        "\f#", "#\v", "\\\n#", "\\ \n#", "#\\\r\n"};

const char *const code[] = {"int v;",
        "kernel void k(global int *p) { p[0] = 1; }",
        "constant char text[] = \"a \\\" /* b\";", "constant char c = '\"';",
        "constant char d = '\\'';", "float f(float x) { return x / 2.0f; }",
        "int w = 1 /* one */ + 2; // and three", "#define SIZE 16",
        "constant char file[] = __FILE__;", "int l = __INCLUDE_LEVEL__;",
        "constant char base[] = __BASE_FILE__;", "int n = __COUNTER__;",
        "#undef SIZE", "typedef int number;", "#define F(x) ((x) + 1)",
        "int i = F(2);", "constant char s[] = \"#include \\\"b/x.h\\\"\";", "",
        "constant char t[] = \"\" \"//\";", "#define CAT(a, b) a ## b",
        "int CAT(x, 1);", "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
        "#pragma unroll", "constant char e[] = \"\\\\\";",
        "struct s { int a; };", "#define LONG(x) \\\n  do { } \\\n  while (0)"};

// One of the two ways of a line's end, a splice, or none.
std::string comment(random_numbers &r)
{
    static const char *const comments[] = {"/* it's one */", "// it's \"one",
            "/* a\n * b\n */", "/** /* **/", "// a \\\n b", "/* // */",
            "/*/ */", "/* \"*/", "// */ /*", "/* a *\\\n/", "/\\\n/ c",
            "/\\\n* c */", "//", "/**/", "/***/", "// \?\?/", "/* \\*/"};
    return r.of(comments);
}

class text_generator
{
  public:
    text_generator(random_numbers &r, const vocabulary &words)
        : r_(r), words_(words)
    {
    }

    // A directive that reads a file, or seems to.
    std::string include()
    {
        if (words_.names.empty()) return "int none;";
        static const char *const directives[] = {"include", "include",
                "include", "include", "include", "include", "import"};
        static const char *const rare[] = {"inc\\\nlude", "include_next",
                "include/**/", "in\\ \nclude", "Include", "includes", "embed",
                "imp\\\r\nort", "__include_macros", "include_alias",
                "inc\?\?/\nlude"};
        std::string line = wild(6) ? r_.of(hashes) : "#";
        line += wild(5) ? r_.of(rare) : r_.of(directives);
        static const char *const blanks[] = {" ", "\t", "/* a */", "", " \\\n",
                " /* b\n */ ", "\f", "\xc2\xa0", "\\\n"};
        line += wild(8) ? r_.of(blanks) : " ";
        line += name();
        static const char *const tails[] = {" // why", " /* why */", " ",
                " /* why", "junk", " \"b/x.h\"", "/**/ /**/", ";", "\\",
                " \\\n"};
        if (r_.percent(6) && (wild(40) || r_.percent(50)))
            line += words_.wildness > 0 ? r_.of(tails) : " // why";
        return line;
    }

    std::string piece(unsigned depth)
    {
        const std::size_t kind = r_.below(100);
        if (kind < 42) return include() + "\n";
        if (kind < 54) return r_.of(code) + end_of_line();
        if (kind < 61) return comment(r_) + end_of_line();
        if (kind < 70) return raw_line() + "\n";
        if (kind < 80 && depth < 3) return conditional(depth);
        if (kind < 86) return skipped();
        if (kind < 90) return definition();
        if (kind < 93) return hidden_include();
        if (kind < 95 && words_.wildness > 0) return oddity();
        return "int v" + std::to_string(r_.below(10)) + ";" + end_of_line();
    }

    // Fragments at random places.
    void disturb(std::string &text)
    {
        const std::size_t count = 1 + r_.below(3);
        for (std::size_t i = 0; i < count; i++) {
            std::string what = r_.of(hiding);
            if (r_.percent(20)) what = "\\\n";
            if (r_.percent(10)) what = "\n";
            if (r_.percent(4)) what = "\r";
            if (r_.percent(2)) what = std::string(1, '\0');
            if (r_.percent(2)) what = "\xe2\x80\xa8";
            text.insert(r_.below(text.size() + 1), what);
        }
    }

  private:
    bool wild(unsigned percent)
    {
        return r_.percent(percent * words_.wildness);
    }

    std::string end_of_line() { return wild(2) ? "\r\n" : "\n"; }

    std::string quoted(const std::string &name)
    {
        return r_.percent(65) ? "\"" + name + "\"" : "<" + name + ">";
    }

    // What stands behind #include.
    std::string name()
    {
        if (r_.percent(9) && !words_.macros.empty())
            return r_.of(words_.macros);
        if (r_.percent(4) && !words_.stringizer.empty() && !words_.bare.empty())
            return words_.stringizer + "(" + r_.of(words_.bare) + ")";
        if (wild(2)) {
            static const char *const odd[] = {"<b/x.h", "\"b/x.h", "b/x.h",
                    "\"\"", "<>", "\"b\\\\x.h\"", "\"b/x.h\" \"y\"",
                    "<b/\\\nx.h>", "\"b/\\\nx.h\"", "NO_MACRO", "\"b\?\?/x.h\"",
                    "__FILE__", "<b//x.h>", "<b/*/x.h>", "<b/'x.h>",
                    "T(__LINE__.h)", "__BASE_FILE__", "T(b/__LINE__.h)",
                    "T(__INCLUDE_LEVEL__.h)", "T(__COUNTER__.h)", "INC INC",
                    "T(b)T(x)", "u8\"b/x.h\"", "<b/x.h > ", "< b/x.h>",
                    "<x y.h>"};
            return r_.of(odd);
        }
        return quoted(r_.of(words_.names));
    }

    std::string raw_line()
    {
        std::string line = r_.percent(20) ? r_.of(hashes) : "#";
        line += wild(10) ? r_.of(picky_words) : r_.of(raw_words);
        const bool tame = words_.wildness == 0
                          && line.find("mark") == std::string::npos
                          && line.find("warning") == std::string::npos;
        static const char *const tame_words[] = {"on", "4", "(a, b)", "// it's",
                "/* why */", "\"text\"", "\"/*\"", "'\"'", "\"//\"", "x"};
        const std::size_t count = r_.below(3);
        for (std::size_t i = 0; i < count; i++)
            line += " " + (tame ? r_.of(tame_words) : r_.of(hiding));
        // A line that goes on is seldom meant.
        if (!line.empty() && line.back() == '\\' && r_.percent(70))
            line.pop_back();
        return line;
    }

    // A word of the text's own, of the driver's or of nobody.
    std::string condition()
    {
        static const char *const conditions[] = {"if 1", "if 0", "ifdef SIZE",
                "ifndef SIZE", "ifdef cl_khr_fp64", "ifdef __OPENCL_VERSION__",
                "ifndef __OPENCL_VERSION__", "if defined(INC)", "ifdef M_PI",
                "ifndef NAN", "if __OPENCL_VERSION__ >= 120", "if 'a' == 97",
                "if (1 /* or\n 0 */)", "if SIZE + 0 > 4", "ifdef __cplusplus",
                "if \\\n 1", "ifdef B"};
        if (wild(3)) {
            static const char *const files[] = {"__has_include(\"b/x.h\")",
                    "__has_include(<b/x.h>)", "defined(__has_include)",
                    "__has_include_next(<x.h>)", "__has_\\\ninclude(<b/x.h>)",
                    "__has_include__(\"b/x.h\")", "__has_embed(\"b/x.h\")",
                    "CAT(__has_, include)(\"b/x.h\")"};
            return "if " + r_.of(files);
        }
        return r_.of(conditions);
    }

    std::string lines(unsigned depth)
    {
        std::string out;
        const std::size_t count = r_.below(3);
        for (std::size_t i = 0; i < count; i++)
            out += piece(depth);
        return out;
    }

    std::string conditional(unsigned depth)
    {
        std::string out = "#" + condition() + "\n" + lines(depth + 1);
        if (r_.percent(20))
            out += (words_.wildness > 0 ? "#el" + condition() : "#elif 1")
                   + "\n" + lines(depth + 1);
        if (r_.percent(40)) out += "#else\n" + lines(depth + 1);
        return out + (r_.percent(10) ? "#endif // it's\n" : "#endif\n");
    }

    // As text that nobody reads may have; a comment seldom begins in it.
    std::string junk()
    {
        static const char *const words[] = {"\"", "'", "\"a", "don't", "*/",
                "// \"", "/* ' */", "\\", "\"/*\"", "#", "\"\\\"", "//"};
        return wild(30) ? r_.of(hiding) : r_.of(words);
    }

    // What no compiler reads, whatever is in it.
    std::string skipped()
    {
        std::string out = r_.percent(70) ? "#if 0\n" : "#ifdef NOT_DEFINED\n";
        const std::size_t count = r_.below(4);
        for (std::size_t i = 0; i < count; i++) {
            static const char *const missing[] = {"<metal_stdlib>",
                    "\"none.h\"", "<none.h>", "\"b/none/x.h\"", "<math.h>",
                    "\"none\"", "\"../none.h\"", "<b/../none.h>"};
            if (r_.percent(25))
                out += include() + "\n";
            else if (r_.percent(15))
                out += "#include " + r_.of(missing) + "\n";
            else if (r_.percent(40))
                out += raw_line() + "\n";
            else if (r_.percent(50))
                out += "#error it isn't " + junk() + "\n";
            else
                out += "it isn't " + junk() + "\n";
        }
        return out + "#endif\n";
    }

    std::string definition()
    {
        static const char *const odd[] = {"#define B \"b/x.h\"",
                "#pragma push_macro(\"INC\")", "#pragma pop_macro(\"INC\")",
                "#undef INC", "#define INC \"c/x.h\"", "#define include",
                "#define T2(x) <x>", "#define b c", "#define x y",
                "#define h cl", "_Pragma(\"mark /*\")", "_Pragma(\"once\")",
                "#define INC T(c/y.h)", "#pragma GCC dependency \"b/x.h\"",
                "_Pragma(\"GCC dependency \\\"b/x.h\\\"\")", "#define defined",
                "#pragma GCC dependency <b/x.h> what", "#define T(x) \"c/x.h\"",
                "_Pragma(\"push_macro(\\\"INC\\\")\")",
                "#pragma clang module import b",
                "#pragma include_alias(\"x.h\", \"y.h\")",
                "#pragma clang include_alias", "#define IF(x) _Pragma(#x)",
                "#pragma hdrstop", "#pragma clang deprecated(INC)"};
        if (r_.percent(words_.wildness > 0 ? 40 : 6)) return r_.of(odd) + "\n";
        return "#define OF" + std::to_string(r_.below(4)) + " "
               + std::to_string(r_.below(9)) + "\n";
    }

    // A directive that is none, or that seems to be none.
    std::string hidden_include()
    {
        static const char *const before[] = {"/* ", "// ", "/* a\n", "// \\\n",
                "\"\\\n", "int a; ", "x ", "#define G \\\n", "'", "/*/",
                "#pragma mark \\\n", "#pragma mark /*\n", "\"", "#if 0 \\\n",
                "#pragma mark '\n", "#pragma mark \"\n", "//\?\?/\n", "R\"(\n"};
        static const char *const after[] = {" */", "", "\n*/", "\"", "\n\"",
                "'", "\n)\"", "\n/**/", "\n#endif"};
        static const char *const whole[][2] = {{"/* ", " */"}, {"// ", ""},
                {"/* a\n", "\n*/"}, {"// \\\n", ""}, {"#define G \\\n", ""},
                {"#pragma mark \\\n", ""}, {"#pragma mark /*\n", "\n/**/"},
                {"#pragma mark '\n", ""}, {"#pragma mark \"\n", ""},
                {"/*/", "\n*/"}, {"#if 0 \\\n", "\n#endif"},
                {"#warning /*\n", "\n/**/"}, {"#warning it's\n", ""},
                {"#if 0\n'\n#endif\n", ""}, {"#pragma x \"\n", ""},
                {"#if 0\n#error /*\n#endif\n", "\n/**/"},
                {"#if 0\n#pragma mark /*\n#endif\n", "\n/**/"},
                {"#if 0\n#warning /*\n#endif\n", "\n/**/"},
                {"#pragma mark // \\\n", ""}, {"//\\ \n", ""}};
        if (!wild(30)) {
            const auto &pair = whole[r_.below(std::size(whole))];
            return pair[0] + include() + pair[1] + "\n";
        }
        return r_.of(before) + include() + r_.of(after) + "\n";
    }

    std::string oddity()
    {
        static const char *const odd[] = {"\xef\xbb\xbf", "#", "#\\\n\n", "# 1",
                "#!a", "\\", "`", "\x1a", "asm(\".include \\\"b/x.h\\\"\");",
                "#if\n#endif", "#include", "#include_next <x.h>",
                "int \\u0061;", "__has_include", "\?\?/\n#include \"b/x.h\"",
                "<<<<<<< a", "#elif 1", "\"\\\n\"", "'\\\n'", "#define \\\n\n",
                "%:%:", "0b1'0 \"/*\"", "1e+'", "a'b'", "L'/*'", "\xc3\xa4'",
                "1.\"/*", "#if 1'0\n#endif", "#pragma once"};
        return r_.of(odd) + "\n";
    }

    random_numbers &r_;
    const vocabulary &words_;
};

} // namespace

std::string generate_text(
        random_numbers &r, const vocabulary &words, guard g, unsigned pieces)
{
    text_generator generator(r, words);
    std::string text;
    for (unsigned i = 0; i < pieces; i++)
        text += generator.piece(0);
    if (r.percent(8 * words.wildness)) generator.disturb(text);
    if (r.percent(5) && !text.empty()) text.pop_back(); // no last newline
    const std::string name = "GUARD_" + std::to_string(r.below(1000));
    static const char *const onces[] = {"#pragma once\n", "#pragma once\n",
            "#pragma once // once\n", "_Pragma(\"once\")\n"};
    if (g == guard::once) return r.of(onces) + text;
    if (g == guard::macro)
        return "#ifndef " + name + "\n#define " + name + "\n" + text
               + "\n#endif\n";
    return text;
}

} // namespace campaign

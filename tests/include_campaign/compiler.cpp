// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include "recording_files.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendOptions.h>
#include <clang/Frontend/Utils.h>
#include <clang/Lex/HeaderSearch.h>
#include <clang/Lex/ModuleLoader.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <clang/Serialization/PCHContainerOperations.h>
#include <llvm/ADT/Triple.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>

namespace campaign
{

namespace
{

namespace vfs = llvm::vfs;

// What PoCL 3.1 gives its compiler besides the program's own options.
const char pocl_begin[] =
        "-Dcl_khr_int64 -DPOCL_DEVICE_ADDRESS_BITS=64 -D__USE_CLANG_OPENCL_C_H "
        "-xcl -Dinline= -I. -cl-kernel-arg-info";
const char pocl_end[] =
        "-D__ENDIAN_LITTLE__=1 -D__IMAGE_SUPPORT__=1 "
        "-DCL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE=0 -D__OPENCL_VERSION__=300 "
        "-Dcl_khr_byte_addressable_store=1 "
        "-Dcl_khr_global_int32_base_atomics=1 "
        "-Dcl_khr_global_int32_extended_atomics=1 "
        "-Dcl_khr_local_int32_base_atomics=1 "
        "-Dcl_khr_local_int32_extended_atomics=1 -Dcl_khr_3d_image_writes=1 "
        "-Dcl_khr_command_buffer=1 -Dcl_khr_spir=1 "
        "-Dcl_khr_int64_base_atomics=1 -Dcl_khr_int64_extended_atomics=1 "
        "-Dcl_khr_fp64=1 -fno-builtin -triple=x86_64-pc-linux-gnu";
// rusticl's; behind the program's own folders comes that of clang's headers,
// and clang adds the system's.
const char rusticl_begin[] = "-triple spir64-unknown-unknown -x cl -O1 "
                             "-Dcl_khr_fp64=1 -D__OPENCL_VERSION__=300";
const char clang_headers[] = DNNL_CACHE_CLANG_HEADERS;
const char rusticl_end[] = "-I" DNNL_CACHE_CLANG_HEADERS;
const char pocl_headers[] = DNNL_CACHE_POCL_HEADERS;

const char own_macros[] = "/driver/macros.h";
const char rusticl_source[] = "input.cl";
enum { most_tokens = 50000 };

// ---- Errors -----------------------------------------------------------------

// Notes errors; warnings change nothing.
class error_collector : public clang::DiagnosticConsumer
{
  public:
    explicit error_collector(outcome &to) : to_(to) {}
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
            const clang::Diagnostic &info) override
    {
        if (level < clang::DiagnosticsEngine::Error || to_.failed) return;
        llvm::SmallString<128> text;
        info.FormatDiagnostic(text);
        to_.failed = true;
        to_.error = text.str().str();
    }

  private:
    outcome &to_;
};

// ---- Options ----------------------------------------------------------------

// PoCL splits at blanks that stand outside double quotes, and makes the quotes
// blanks.
std::vector<std::string> split_as_pocl(const std::string &options)
{
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    for (const char c : options + " ") {
        if (c == '"') quoted = !quoted;
        if (!quoted && std::isspace(static_cast<unsigned char>(c)) != 0) {
            if (!word.empty()) words.push_back(word);
            word.clear();
        } else {
            word += c == '"' ? ' ' : c;
        }
    }
    return words;
}

// rusticl splits at blanks; a double quote begins or ends a word.
std::vector<std::string> split_as_rusticl(const std::string &options)
{
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    for (const char c : options + " ") {
        const bool is_end = c == '"' || (!quoted && c == ' ');
        if (c == '"') quoted = !quoted;
        if (!is_end) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(word);
            word.clear();
        }
    }
    return words;
}

// 100 for CL1.0; PoCL reads it out of the text.
unsigned version_of(const std::string &options)
{
    static const std::string mark = "-cl-std=CL";
    const std::size_t at = options.find(mark);
    if (at == std::string::npos || at + 13 > options.size()) return 300;
    const unsigned major = static_cast<unsigned>(options[at + 10] - '0');
    const unsigned minor = static_cast<unsigned>(options[at + 12] - '0');
    return major * 100 + minor * 10;
}

std::vector<std::string> words_of(const compilation &what)
{
    std::string all =
            what.header_folder.empty() ? "" : "-I" + what.header_folder + " ";
    if (!what.is_pocl)
        return split_as_rusticl(
                rusticl_begin + (" " + what.options + " ") + all + rusticl_end);
    const bool has_standard =
            what.options.find("-cl-std=") != std::string::npos;
    all += pocl_begin + (" " + what.options + " ") + pocl_end;
    if (!has_standard) all += " -cl-std=CL3.0";
    all += " -D__OPENCL_C_VERSION__="
           + std::to_string(version_of(what.options));
    return split_as_pocl(all);
}

// ---- One run ----------------------------------------------------------------

// All that one run of a preprocessor needs, in order.
class run
{
  public:
    run(const compilation &what, outcome &to,
            const std::vector<std::string> &includes, const std::string &macros)
        : to_(to), collector_(to),
          diags_(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                  &collector_, false),
          invocation_(std::make_shared<clang::CompilerInvocation>())
    {
        read_options(what);
        invocation_->getPreprocessorOpts().Includes.insert(
                invocation_->getPreprocessorOpts().Includes.end(),
                includes.begin(), includes.end());
        if (to.failed) return;
        make_files(what, macros);
        if (!to.failed) make_preprocessor();
    }

    bool ready() const { return !to_.failed && preprocessor_ != nullptr; }
    clang::Preprocessor &preprocessor() { return *preprocessor_; }

    void lex()
    {
        collector_.BeginSourceFile(
                *invocation_->getLangOpts(), preprocessor_.get());
        preprocessor_->EnterMainSourceFile();
        std::uint64_t digest = 14695981039346656037U;
        clang::Token token;
        for (std::size_t n = 0;; n++) {
            preprocessor_->Lex(token);
            if (token.is(clang::tok::eof)) break;
            if (n == most_tokens) fail("too many tokens");
            if (to_.failed) break;
            note_token(token, digest);
        }
        to_.tokens = digest;
        collector_.EndSourceFile();
    }

  private:
    void fail(const char *error)
    {
        to_.failed = true;
        to_.error = error;
    }

    void note_token(const clang::Token &token, std::uint64_t &digest)
    {
        // Half a literal: the parser refuses it.
        if (token.is(clang::tok::unknown)) fail("not a token");
        const std::string text = token.isAnnotation()
                                         ? "annotation"
                                         : preprocessor_->getSpelling(token);
        for (const char c : text)
            digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211U;
        digest = (digest ^ 0x100U) * 1099511628211U;
    }

    // Options whose reading looks at no file.
    static bool are_plain(const std::vector<std::string> &words)
    {
        static const char *const known[] = {"-D", "-U", "-I", "-cl-", "-w",
                "-W", "-O", "-x", "-fno-builtin", "-triple", "-isystem",
                "-iquote", "-idirafter"};
        return std::all_of(
                words.begin(), words.end(), [](const std::string &word) {
                    return word[0] != '-'
                           || std::any_of(std::begin(known), std::end(known),
                                   [&](const char *begin) {
                                       return word.rfind(begin, 0) == 0;
                                   });
                });
    }

    // Reading them takes a third of a run, and a scene is run more than once
    // with the same.
    void read_options(const compilation &what)
    {
        static std::vector<std::string> known;
        static std::shared_ptr<clang::CompilerInvocation> read;
        const std::vector<std::string> words = words_of(what);
        if (read == nullptr || words != known) {
            read = nullptr;
            parse_options(what, words);
            if (to_.failed || !are_plain(words)) return;
            known = words;
            read = std::make_shared<clang::CompilerInvocation>(*invocation_);
        }
        *invocation_ = *read;
        triple_ = llvm::Triple(invocation_->getTargetOpts().Triple);
    }

    void parse_options(
            const compilation &what, const std::vector<std::string> &words)
    {
        std::vector<const char *> list;
        for (const std::string &word : words)
            list.push_back(word.c_str());
        if (!clang::CompilerInvocation::CreateFromArgs(
                    *invocation_, list, diags_)) {
            fail("options");
            return;
        }
        clang::LangOptions &lang = *invocation_->getLangOpts();
        triple_ = llvm::Triple(invocation_->getTargetOpts().Triple);
        if (!what.is_pocl) return;
        clang::LangOptions::setLangDefaults(lang, clang::Language::OpenCL,
                triple_, invocation_->getPreprocessorOpts().Includes,
                clang::LangStandard::lang_opencl12);
        lang.CharIsSigned = 1;
        lang.OpenCLVersion = version_of(what.options);
        lang.Blocks = 1;
        lang.AsmBlocks = 1;
    }

    void make_files(const compilation &what, const std::string &macros)
    {
        llvm::IntrusiveRefCntPtr<vfs::FileSystem> recording =
                new recording_files(to_);
        const auto overlay =
                llvm::makeIntrusiveRefCnt<vfs::OverlayFileSystem>(recording);
        const auto memory =
                llvm::makeIntrusiveRefCnt<vfs::InMemoryFileSystem>();
        memory->setCurrentWorkingDirectory(
                overlay->getCurrentWorkingDirectory().get());
        // rusticl's compiler looks its header up like any other.
        const std::string own =
                what.is_pocl ? own_macros
                             : std::string(clang_headers) + "/opencl-c-base.h";
        if (!macros.empty())
            memory->addFile(own, 0, llvm::MemoryBuffer::getMemBuffer(macros));
        source_path_ = what.is_pocl ? what.source_path : rusticl_source;
        memory->addFile(source_path_, 0,
                llvm::MemoryBuffer::getMemBufferCopy(what.source));
        // What options lay over the files is read now.
        overlay->pushOverlay(memory);
        files_ = new clang::FileManager(invocation_->getFileSystemOpts(),
                clang::createVFSFromCompilerInvocation(
                        *invocation_, diags_, overlay));
    }

    void make_preprocessor()
    {
        clang::LangOptions &lang = *invocation_->getLangOpts();
        target_ = clang::TargetInfo::CreateTargetInfo(
                diags_, std::make_shared<clang::TargetOptions>(
                                invocation_->getTargetOpts()));
        if (target_ == nullptr || to_.failed) {
            fail("target");
            return;
        }
        target_->adjust(diags_, lang);
        sources_ = std::make_unique<clang::SourceManager>(diags_, *files_);
        diags_.setSourceManager(sources_.get());
        search_ = std::make_unique<clang::HeaderSearch>(
                invocation_->getHeaderSearchOptsPtr(), *sources_, diags_, lang,
                target_.get());
        preprocessor_ = std::make_unique<clang::Preprocessor>(
                invocation_->getPreprocessorOptsPtr(), diags_, lang, *sources_,
                *search_, modules_, nullptr, false, clang::TU_Complete);
        preprocessor_->Initialize(*target_);
        clang::InitializePreprocessor(*preprocessor_,
                invocation_->getPreprocessorOpts(), containers_,
                invocation_->getFrontendOpts());
        clang::ApplyHeaderSearchOptions(
                *search_, invocation_->getHeaderSearchOpts(), lang, triple_);
        auto file = files_->getFileRef(source_path_);
        if (!file) {
            llvm::consumeError(file.takeError());
            fail("no source");
            return;
        }
        sources_->setMainFileID(sources_->createFileID(
                *file, clang::SourceLocation(), clang::SrcMgr::C_User));
    }

    outcome &to_;
    error_collector collector_;
    clang::DiagnosticsEngine diags_;
    std::shared_ptr<clang::CompilerInvocation> invocation_;
    llvm::Triple triple_;
    std::string source_path_;
    llvm::IntrusiveRefCntPtr<clang::FileManager> files_;
    llvm::IntrusiveRefCntPtr<clang::TargetInfo> target_;
    std::unique_ptr<clang::SourceManager> sources_;
    std::unique_ptr<clang::HeaderSearch> search_;
    clang::TrivialModuleLoader modules_;
    clang::RawPCHContainerReader containers_;
    std::unique_ptr<clang::Preprocessor> preprocessor_;
};

// ---- Macros of the driver's headers -----------------------------------------

std::string definition_of(clang::Preprocessor &p,
        const clang::IdentifierInfo &name, const clang::MacroInfo &macro)
{
    std::string out = "#define " + name.getName().str();
    if (macro.isFunctionLike()) {
        out += "(";
        std::string comma;
        for (const clang::IdentifierInfo *parameter : macro.params()) {
            const bool rest = parameter->getName() == "__VA_ARGS__";
            out += comma + (rest ? "..." : parameter->getName().str());
            comma = ",";
        }
        out += ")";
    }
    for (const clang::Token &token : macro.tokens())
        out += " " + p.getSpelling(token);
    return out + "\n";
}

struct driver_text {
    std::map<std::string, std::string> definitions; // by name
    std::vector<std::string> names;
};

bool is_word_char(char c)
{
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Calls back with each word of a text.
template <typename function>
void for_each_word(const std::string &text, const function &call)
{
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_word_char(text[end]))
            end++;
        if (end > at) call(text.substr(at, end - at));
        at = end + 1;
    }
}

// The definitions of those that a text names, and of those that these name: to
// define all of them takes longer than all else.
std::string definitions_for(const driver_text &own, const std::string &text)
{
    std::string out;
    std::set<std::string> known;
    std::vector<std::string> open{text};
    while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        for_each_word(next, [&](const std::string &word) {
            const auto at = own.definitions.find(word);
            if (at == own.definitions.end() || !known.insert(word).second)
                return;
            out += at->second;
            open.push_back(at->second);
        });
    }
    return out;
}

// What the driver's headers define, all else of them left out: they have a
// million characters, and no run ends without reading them.
driver_text read_driver_macros(bool is_pocl, const std::string &standard)
{
    driver_text text;
    outcome unused;
    const std::string folder = pocl_headers;
    std::vector<std::string> includes{
            std::string(clang_headers) + "/opencl-c-base.h"};
    if (is_pocl)
        includes = {folder + "/pocl_types.h", folder + "/_builtin_renames.h",
                folder + "/opencl-c-base.h", folder + "/opencl-c.h",
                folder + "/_kernel.h"};
    compilation what{is_pocl, standard, "", "/driver/source.cl", "", ""};
    run r(what, unused, includes, "");
    if (!r.ready()) throw std::runtime_error("clang: " + unused.error);
    clang::Preprocessor &p = r.preprocessor();
    p.EnterMainSourceFile();
    clang::Token token;
    do
        p.Lex(token);
    while (token.isNot(clang::tok::eof));
    if (unused.failed) throw std::runtime_error("clang: " + unused.error);
    for (const auto &pair : p.macros(false)) {
        const clang::MacroInfo *macro = p.getMacroInfo(pair.first);
        if (macro == nullptr || macro->isBuiltinMacro()) continue;
        const clang::PresumedLoc at =
                p.getSourceManager().getPresumedLoc(macro->getDefinitionLoc());
        if (at.isInvalid() || at.getFilename()[0] == '<') continue;
        text.definitions[pair.first->getName().str()] =
                definition_of(p, *pair.first, *macro);
    }
    for (const auto &pair : text.definitions)
        text.names.push_back(pair.first);
    return text;
}

const driver_text &text_of(bool is_pocl, const std::string &options)
{
    static std::map<std::pair<bool, std::string>, driver_text> known;
    static const char *const standards[] = {"-cl-std=CL1.0", "-cl-std=CL1.1",
            "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0",
            "-cl-std=CLC++2021", "-cl-std=CLC++", nullptr};
    std::string standard = is_pocl ? "-cl-std=CL3.0" : "-cl-std=CL1.2";
    for (int i = 0; standards[i] != nullptr; i++)
        if (options.find(standards[i]) != std::string::npos) {
            standard = standards[i];
            break;
        }
    if (is_pocl && standard.find("++") != std::string::npos)
        standard = "-cl-std=CL3.0";
    const auto key = std::make_pair(is_pocl, standard);
    auto at = known.find(key);
    if (at == known.end())
        at = known.emplace(key, read_driver_macros(is_pocl, standard)).first;
    return at->second;
}

} // namespace

outcome preprocess(const compilation &what)
{
    outcome to;
    const driver_text &own = text_of(what.is_pocl, what.options);
    const std::string macros = "\n" + definitions_for(own, what.words);
    // In a program with embedded headers the library refuses a stranger's file
    // of this name, where it knows the device
    // (src/gpu/device/implied_header.c).
    const bool is_looked_up = !what.is_pocl && what.header_folder.empty();
    const std::string own_header =
            std::string(clang_headers) + "/opencl-c-base.h";
    run r(what, to,
            {what.is_pocl          ? own_macros
                    : is_looked_up ? "opencl-c-base.h"
                                   : own_header},
            macros);
    if (r.ready()) r.lex();
    return to;
}

const std::vector<std::string> &driver_macros()
{
    return text_of(true, "").names;
}

} // namespace campaign

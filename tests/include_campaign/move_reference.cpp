// SPDX-License-Identifier: Apache-2.0
//
// clang in this process, for move_campaign.py, which compares what it makes of
// a program in two places: reads lines "FOLDER<tab>WORD<tab>WORD...", works in
// that folder with clang -cc1's options, and writes "STATUS SIZE SIZE" with the
// sizes of the output and of the messages, which follow. With -E among the
// words the output is the preprocessed text, else LLVM IR.
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Frontend/Utils.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

// Prints to a string: clang's own action opens a file.
class print_action : public clang::PreprocessorFrontendAction
{
  public:
    explicit print_action(llvm::raw_ostream &to) : to_(to) {}

  protected:
    void ExecuteAction() override
    {
        clang::CompilerInstance &compiler = getCompilerInstance();
        clang::DoPrintPreprocessedInput(compiler.getPreprocessor(), &to_,
                compiler.getPreprocessorOutputOpts());
    }

  private:
    llvm::raw_ostream &to_;
};

struct result {
    bool is_done = false;
    llvm::SmallString<0> output;
    std::string log;
};

bool execute(clang::CompilerInstance &compiler, bool is_text, result &to)
{
    auto out = std::make_unique<llvm::raw_svector_ostream>(to.output);
    if (is_text) {
        print_action print(*out);
        return compiler.ExecuteAction(print);
    }
    compiler.setOutputStream(std::move(out));
    clang::EmitLLVMAction emit;
    return compiler.ExecuteAction(emit);
}

// As clang -cc1 does: what is wrong with the options is told first.
void compile(const std::vector<const char *> &words, result &to)
{
    llvm::raw_string_ostream log(to.log);
    clang::CompilerInstance compiler;
    compiler.setVerboseOutputStream(log);
    auto *of_options = new clang::TextDiagnosticBuffer;
    clang::DiagnosticsEngine diags(
            new clang::DiagnosticIDs, new clang::DiagnosticOptions, of_options);
    to.is_done = clang::CompilerInvocation::CreateFromArgs(
            compiler.getInvocation(), words, diags);
    compiler.createDiagnostics(new clang::TextDiagnosticPrinter(
                                       log, &compiler.getDiagnosticOpts()),
            true);
    of_options->FlushDiagnostics(compiler.getDiagnostics());
    const bool is_text = std::any_of(words.begin(), words.end(),
            [](const char *word) { return std::string(word) == "-E"; });
    to.is_done = to.is_done && execute(compiler, is_text, to);
    log.flush();
}

std::vector<std::string> split(const std::string &line)
{
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find('\t', at), line.size());
        parts.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

} // namespace

int main()
{
    std::string line;
    while (std::getline(std::cin, line)) {
        const std::vector<std::string> parts = split(line);
        std::vector<const char *> words;
        result made;
        if (chdir(parts[0].c_str()) != 0) return 2;
        for (std::size_t i = 1; i < parts.size(); i++)
            words.push_back(parts[i].c_str());
        compile(words, made);
        std::cout << (made.is_done ? 0 : 1) << ' ' << made.output.size() << ' '
                  << made.log.size() << '\n'
                  << made.output.str().str() << made.log << std::flush;
    }
    return 0;
}

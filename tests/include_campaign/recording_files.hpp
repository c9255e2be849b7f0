// SPDX-License-Identifier: Apache-2.0
// The real files, with a note of each that is read and of each place that is
// looked at in vain.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RECORDING_FILES_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RECORDING_FILES_HPP

#include "compiler.hpp"

#include <llvm/Support/VirtualFileSystem.h>

namespace campaign
{

class recorded_file : public llvm::vfs::File
{
  public:
    recorded_file(std::unique_ptr<llvm::vfs::File> file, std::string path,
            outcome &to)
        : file_(std::move(file)), path_(std::move(path)), to_(to)
    {
    }
    llvm::ErrorOr<llvm::vfs::Status> status() override
    {
        return file_->status();
    }
    llvm::ErrorOr<std::string> getName() override { return file_->getName(); }
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(
            const llvm::Twine &name, int64_t size, bool terminated,
            bool is_volatile) override
    {
        const auto st = file_->status();
        if (st)
            to_.reads.push_back({path_, {st->getUniqueID().getDevice(),
                                                st->getUniqueID().getFile()}});
        return file_->getBuffer(name, size, terminated, is_volatile);
    }
    std::error_code close() override { return file_->close(); }

  private:
    std::unique_ptr<llvm::vfs::File> file_;
    std::string path_;
    outcome &to_;
};

class recording_files : public llvm::vfs::ProxyFileSystem
{
  public:
    recording_files(outcome &to)
        : llvm::vfs::ProxyFileSystem(llvm::vfs::getRealFileSystem()), to_(to)
    {
    }
    llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override
    {
        auto st = llvm::vfs::ProxyFileSystem::status(path);
        if (!st) note_absent(path);
        return st;
    }
    llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(
            const llvm::Twine &path) override
    {
        auto file = llvm::vfs::ProxyFileSystem::openFileForRead(path);
        if (!file) {
            note_absent(path);
            return file.getError();
        }
        return std::make_unique<recorded_file>(
                std::move(*file), path.str(), to_);
    }

  private:
    void note_absent(const llvm::Twine &path)
    {
        to_.absent.push_back(path.str());
    }
    outcome &to_;
};

} // namespace campaign

#endif // DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RECORDING_FILES_HPP

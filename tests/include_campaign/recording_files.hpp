// SPDX-License-Identifier: Apache-2.0
// The real files, with a note of each that is opened and of each place that
// is looked at in vain.
#ifndef DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RECORDING_FILES_HPP
#define DNNL_CACHE_TESTS_INCLUDE_CAMPAIGN_RECORDING_FILES_HPP

#include "compiler.hpp"

#include <llvm/Support/VirtualFileSystem.h>

namespace campaign
{

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
        const auto st = (*file)->status();
        if (st)
            to_.reads.push_back(
                    {path.str(), {st->getUniqueID().getDevice(),
                                         st->getUniqueID().getFile()}});
        return file;
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

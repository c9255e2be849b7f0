// SPDX-License-Identifier: Apache-2.0
#include "watched_files.hpp"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <functional>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace campaign
{

namespace
{

struct {
    bool on;
    plant fault;
    std::string root;
    watched seen;
    std::map<int, std::string> paths; // by file descriptor
} watch;

} // namespace

std::string plain_path(const std::string &path, const std::string &root)
{
    const std::string whole = path[0] == '/' ? path : root + "/" + path;
    std::string out;
    for (std::size_t at = 0; at < whole.size();) {
        const std::size_t slash = whole.find('/', at);
        const std::size_t end =
                slash == std::string::npos ? whole.size() : slash;
        const std::string part = whole.substr(at, end - at);
        if (!part.empty() && part != ".") out += "/" + part;
        at = end + 1;
    }
    return out;
}

void begin_watching(const std::string &root, plant fault)
{
    watch.on = true;
    watch.fault = fault;
    watch.root = root;
    watch.seen = watched();
    watch.paths.clear();
}

watched end_watching()
{
    watch.on = false;
    return watch.seen;
}

namespace
{

bool note_look(const char *path)
{
    if (!watch.on) return true;
    const std::string plain = plain_path(path, watch.root);
    watch.seen.looked.insert(plain);
    if (watch.fault != plant::blind) return true;
    if (plain.compare(0, watch.root.size() + 3, watch.root + "/b/") != 0)
        return true;
    errno = ENOENT;
    return false;
}

} // namespace

} // namespace campaign

using campaign::watch;

extern "C" {

int __real_openat(int folder, const char *path, int flags, ...);
int __real_access(const char *path, int mode);
int __real_fstatat(int folder, const char *path, struct stat *st, int flags);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_access(const char *path, int mode);
int __wrap_fstatat(int folder, const char *path, struct stat *st, int flags);

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (!campaign::note_look(path)) return -1;
    const int fd = __real_openat(folder, path, flags, mode);
    struct stat st;
    if (watch.on && fd >= 0
            && __real_fstatat(fd, "", &st, AT_EMPTY_PATH) == 0) {
        watch.seen.opened.insert({st.st_dev, st.st_ino});
        watch.paths[fd] = path;
    }
    return fd;
}

int __wrap_access(const char *path, int mode)
{
    return campaign::note_look(path) ? __real_access(path, mode) : -1;
}

/* Without a path, of what is open. */
int __wrap_fstatat(int folder, const char *path, struct stat *st, int flags)
{
    if (*path != '\0')
        return campaign::note_look(path)
                       ? __real_fstatat(folder, path, st, flags)
                       : -1;
    const int rc = __real_fstatat(folder, path, st, flags);
    if (rc == 0 && watch.on && watch.fault == campaign::plant::links
            && S_ISREG(st->st_mode))
        st->st_ino = std::hash<std::string>()(watch.paths[folder]);
    return rc;
}

} // extern "C"

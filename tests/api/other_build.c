/* SPDX-License-Identifier: Apache-2.0 */
/* What a library says that was built from another commit and other sources: a
 * program with this in it takes it for cmake/BuildIdentity.cmake's. */
#include "src/gpu/device/build_identity.h"

const char build_source_digest[65] =
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const char build_git_hash[41] = "0123456789abcdef0123456789abcdef01234567";

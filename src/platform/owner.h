/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner.h: whose files are safe to run code from, or to take settings from.
 *
 * Those of this user and of root are. In a user namespace (bubblewrap, Flatpak,
 * rootless containers) the files of everybody who has no number there, root
 * among them, belong to one and the same user, "nobody". Whose they are cannot
 * be found out, and that they cannot be written to from inside says nothing of
 * outside. So they are refused, unless the user names the place, and nobody but
 * its owner may write to it or to what leads there
 * (docs/how_it_works/security.md).
 */
#ifndef DNNL_CACHE_PLATFORM_OWNER_H
#define DNNL_CACHE_PLATFORM_OWNER_H

#include "src/platform/file.h"

#include <stdbool.h>
#include <stdint.h>

/* Absolute paths with colons between them; what is below them counts, too. */
#define OWNER_TRUST_VARIABLE "DNNL_CACHE_TRUST_UNMAPPED"

/* Has the owner of that number none in this user namespace? */
bool owner_is_unmapped(uint32_t owner);

/* Is what has this absolute path, or the nearest folder above it that is there,
 * another user's, neither this one's nor root's? What is made there that user
 * could not use: root with sudo makes it. *owner: whose it is then. */
bool owner_nearest_is_another(const char *path, uint32_t *owner);

/* Why the owner of what has this path is not trusted; NULL: he is. facts: of
 * what is there. A static text. */
const char *owner_objection(const struct file_facts *facts, const char *path);

#endif /* DNNL_CACHE_PLATFORM_OWNER_H */

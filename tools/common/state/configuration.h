/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configuration.h: settings of the layer in files, for all applications of a
 * user or of a system.
 *
 *     # a comment
 *     DNNL_CACHE_MAX_SIZE = 4000000000
 *     DNNL_CACHE_APPLICATIONS_DENY = blender:/opt/vendor/bin/x*
 *
 * The names are those of the environment variables. The user's file is
 * $XDG_CONFIG_HOME/dnnl_cache/layer.conf, else
 * $HOME/.config/dnnl_cache/layer.conf; the system's is
 * /etc/dnnl_cache/layer.conf. The user's is asked first. DNNL_CACHE_CONFIG=0
 * reads neither, and an absolute path reads that file alone.
 *
 * A file that is not there, or that this process may not read, is no trouble.
 * One that others may write to, that is too large or that cannot be parsed is
 * reported and ignored as a whole.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_CONFIGURATION_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>

#define CONFIGURATION_VARIABLE "DNNL_CACHE_CONFIG"
#define CONFIGURATION_FOLDER "dnnl_cache"
#define CONFIGURATION_NAME "layer.conf"
#define CONFIGURATION_SYSTEM_FOLDER "/etc/" CONFIGURATION_FOLDER

enum { configuration_path_size = 4096, configuration_file_size_max = 65536 };

/* Where variables come from (NULL: the environment) and reports go to (NULL:
 * nowhere). */
struct configuration_reader {
    const char *(*get)(void *user, const char *name);
    void (*report)(void *user, const char *text);
    void *user;
};

struct configuration;

/* All files that the variables name. Never NULL but for lack of memory; NULL is
 * a configuration without settings for the calls below. */
struct configuration *configuration_read(
        const struct configuration_reader *reader);

/* One file. is_systems: root alone may own it, else this user may as well. */
struct configuration *configuration_read_file(
        const struct configuration_reader *reader, const char *path,
        bool is_systems);
void configuration_free(struct configuration *configuration);

/* The value of a setting, or NULL. *file: of which file, if file is not NULL.
 * Both live as long as the configuration. */
const char *configuration_get(const struct configuration *configuration,
        const char *name, const char **file);

/* As whoever is configured finds it: the environment's, unless it is empty,
 * else that of the files. *file: NULL for the environment. */
const char *configuration_find(const struct configuration *configuration,
        const char *name, const char **file);

/* True if a file may have a setting of this name. */
bool configuration_is_setting(const char *name);

/* The settings that files may have, in the order of
 * docs/reference/environment.md; NULL behind the last. */
const char *configuration_setting(size_t index);

/* The folder of the user's file. False: no variable says where. */
bool configuration_user_folder(char path[configuration_path_size],
        const struct configuration_reader *reader);

/* What text says, a file's whole contents with a NUL behind them: take() is
 * called for each setting in its order, whatever its name, with strings that it
 * may keep as long as text, which is changed. False: why says what is wrong,
 * and in which line. */
bool configuration_parse(char *text, size_t size,
        void (*take)(
                void *user, const char *name, const char *value, unsigned line),
        void *user, char why[], size_t why_capacity);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_CONFIGURATION_H */

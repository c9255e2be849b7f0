/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/permanent.h"

#include "src/platform/file.h"
#include "tools/run/marked_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMER "dnnl-cache-refresh.timer"

/* Where each scope has its files: below the folder of settings. */
struct known_file {
    enum session_form form;
    const char *path;
    const char *needs; /* NULL: written always */
};

static const struct known_file of_user[] = {
        {session_environment, "/environment.d/60-dnnl-cache.conf", NULL},
        {session_sh, "/dnnl_cache/env.sh", NULL},
        {session_fish, "/fish/conf.d/dnnl-cache.fish", "/fish"},
        {session_timer, "/systemd/user/timers.target.wants/" TIMER, NULL},
};

/* tcsh reads the one of Debian or the one of others. */
static const struct known_file of_system[] = {
        {session_environment, "/environment.d/60-dnnl-cache.conf", NULL},
        {session_sh, "/profile.d/dnnl-cache.sh", NULL},
        {session_csh, "/csh/login.d/dnnl-cache", "/csh/login.d"},
        {session_fish, "/fish/conf.d/dnnl-cache.fish", "/fish/conf.d"},
        {session_layers, "/OpenCL/layers/dnnl_cache.lay", NULL},
        {session_timer, "/systemd/user/timers.target.wants/" TIMER, NULL},
};

/* ---- Scopes -------------------------------------------------------------- */

static bool tell(bool is_told, const char *what, const char *why)
{
    if (is_told) fprintf(stderr, "dnnl-cache-run: %s%s\n", what, why);
    return false;
}

static bool is_absolute(const char *value)
{
    return value != NULL && value[0] == '/';
}

/* Files made with sudo in a user's home would be root's. */
static bool is_own_home(const char *home)
{
    struct file_facts facts;
    return file_facts_at(&facts, file_here, home) != 0 || file_is_own(&facts);
}

static bool find_user_config(struct permanent_scope *scope, bool is_told)
{
    const char *xdg = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    const char *base = is_absolute(xdg) ? xdg : home;
    if (!is_absolute(base))
        return tell(is_told,
                "neither XDG_CONFIG_HOME nor HOME is an absolute path", "");
    if (scope->root[0] == '\0' && !is_own_home(base))
        return tell(is_told, base,
                ": belongs to another user; run this as that user, without "
                "sudo");
    const int n = snprintf(scope->config, sizeof scope->config, "%s%s", base,
            base == xdg ? "" : "/.config");
    return (n > 0 && (size_t)n < sizeof scope->config / 2)
           || tell(is_told, base, ": too long");
}

bool permanent_scope_init(struct permanent_scope *scope, bool is_system,
        const char *root, bool is_told)
{
    struct file_facts facts;
    *scope = (struct permanent_scope){.is_system = is_system};
    if (root != NULL && !path_resolve(scope->root, root))
        return tell(is_told, root, ": no such folder");
    if (root != NULL
            && (file_facts_at(&facts, file_here, scope->root) != 0
                    || facts.kind != file_is_folder))
        return tell(is_told, root, ": not a folder");
    if (strcmp(scope->root, "/") == 0) scope->root[0] = '\0';
    if (!is_system) return find_user_config(scope, is_told);
    strcpy(scope->config, "/etc");
    return true;
}

bool permanent_scope_has(const struct permanent_scope *scope, const char *path)
{
    struct file_facts facts;
    const char *name = strrchr(path, '/') + 1;
    int folder;
    if (marked_file_open_folder(&folder, scope->root, path, false, 0) != 0)
        return false;
    const int error = scope->root[0] != '\0'
                              ? file_facts_of_link(&facts, folder, name)
                              : file_facts_at(&facts, folder, name);
    (void)file_close(folder);
    return error == 0;
}

/* ---- Files --------------------------------------------------------------- */

static void look_at_link(
        struct permanent_file *file, const struct permanent_scope *scope)
{
    file->error = marked_file_read_link(&file->text, scope->root, file->path);
    if (file->error != 0) {
        file->state = file->error == ENOENT   ? permanent_absent
                      : file->error == EINVAL ? permanent_foreign
                                              : permanent_unreadable;
        return;
    }
    const char *slash = strrchr(file->text, '/');
    file->state = strcmp(slash != NULL ? slash + 1 : file->text, TIMER) == 0
                          ? permanent_ours
                          : permanent_foreign;
}

static void look_at_text(
        struct permanent_file *file, const struct permanent_scope *scope)
{
    size_t size;
    const int error = file->error =
            marked_file_read(&file->text, &size, scope->root, file->path);
    if (error != 0) {
        file->state = error == ENOENT || error == ENOTDIR ? permanent_absent
                      : error == EINVAL || error == EFBIG
                              ? permanent_foreign
                              : permanent_unreadable;
        return;
    }
    file->state = session_text_is_ours(file->form, file->text)
                                  && strlen(file->text) == size
                          ? permanent_ours
                          : permanent_foreign;
    if (file->state == permanent_ours)
        file->layer = session_text_layer(file->form, file->text);
}

static bool has_needed(
        const struct permanent_scope *scope, const struct known_file *known)
{
    char path[path_size];
    if (known->needs == NULL) return true;
    (void)snprintf(path, sizeof path, "%s%s", scope->config, known->needs);
    return permanent_scope_has(scope, path);
}

size_t permanent_files_look(struct permanent_file files[permanent_files_max],
        const struct permanent_scope *scope)
{
    const struct known_file *known = scope->is_system ? of_system : of_user;
    const size_t count = scope->is_system ? sizeof of_system / sizeof *of_system
                                          : sizeof of_user / sizeof *of_user;
    for (size_t i = 0; i < count; i++) {
        files[i] = (struct permanent_file){.form = known[i].form,
                .is_wanted = has_needed(scope, &known[i])};
        (void)snprintf(files[i].path, sizeof files[i].path, "%s%s",
                scope->config, known[i].path);
        if (known[i].form == session_timer)
            look_at_link(&files[i], scope);
        else
            look_at_text(&files[i], scope);
    }
    return count;
}

void permanent_files_fini(struct permanent_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(files[i].text);
        free(files[i].layer);
    }
}

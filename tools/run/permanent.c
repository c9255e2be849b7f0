/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/permanent.h"

#include "src/platform/file.h"
#include "tools/common/state/applications.h"
#include "tools/common/state/configuration.h"
#include "tools/run/conf_edit.h"
#include "tools/run/layer_file.h"
#include "tools/run/marked_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is done for one scope. */
struct work {
    const struct permanent_request *request;
    struct permanent_scope scope;
    struct permanent_file files[permanent_files_max];
    size_t count;
    int lock; /* on the folder of settings; file_none: none */

    char layer[path_size]; /* as seen below the root */
    char timer[path_size]; /* the unit that the link leads to; "": none */
    char conf[path_size];  /* the configuration file */
    char *conf_before;     /* NULL: there is none */
    char *conf_after;      /* NULL: no change */
};

__attribute__((format(printf, 1, 2))) static bool fail(const char *format, ...)
{
    va_list arguments;
    fputs("dnnl-cache-run: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

/* What to do about an errno value. */
static bool fail_at(const struct work *work, const char *path, int error)
{
    const bool is_right = error == EACCES || error == EPERM;
    const char *advice = !is_right ? ""
                         : work->scope.is_system
                                 ? "; --system needs the rights of root: use "
                                   "sudo, or --user"
                                 : "; --user writes to your own folder of "
                                   "settings: check its owner and mode";
    return fail("%s%s: %s%s", work->scope.root, path,
            error == ENOTDIR && work->scope.root[0] != '\0'
                    ? "not a folder; links below --root are not followed"
                    : strerror(error),
            advice);
}

/* ---- The layer ----------------------------------------------------------- */

static bool is_below(const char *root, const char *path)
{
    const size_t size = strlen(root);
    return strncmp(path, root, size) == 0 && path[size] == '/';
}

/* As the sessions will see it. A link that was asked for stays one: it may lead
 * to another version tomorrow. */
static bool find_layer(struct work *work)
{
    char why[path_size + 128];
    char path[2 * path_size];
    const char *wanted = work->request->layer;
    const char *root = work->scope.root;
    if (wanted != NULL && wanted[0] != '/')
        return fail("--layer %s: not an absolute path", wanted);
    if (wanted != NULL) {
        (void)snprintf(work->layer, sizeof work->layer, "%s", wanted);
    } else {
        if (!layer_file_find(
                    work->layer, sizeof work->layer, NULL, why, sizeof why))
            return fail("%s", why);
        if (root[0] != '\0' && is_below(root, work->layer))
            memmove(work->layer, work->layer + strlen(root),
                    strlen(work->layer) - strlen(root) + 1);
    }
    const char *slash = strrchr(work->layer, '/');
    if (strcmp(slash + 1, LAYER_FILE_NAME) != 0)
        return fail(
                "%s: the file's name must be " LAYER_FILE_NAME, work->layer);
    if (!session_text_can_name(work->layer))
        return fail("%s: a path with a control character, a quotation mark or "
                    "one of \\ $ ` ! : cannot be written to all files",
                work->layer);
    (void)snprintf(path, sizeof path, "%s%s", root, work->layer);
    /* An image may be of another machine. */
    if (root[0] == '\0')
        return layer_file_check(path, why, sizeof why) || fail("%s", why);
    return file_may_be_read(path)
           || fail("%s: %s; install the layer there first, or pass --layer",
                   path, strerror(errno));
}

/* ---- The timer ----------------------------------------------------------- */

static void find_timer(struct work *work)
{
    static const char *const folders[] = {"/etc/systemd/user",
            "/usr/local/lib/systemd/user", "/usr/lib/systemd/user",
            "/lib/systemd/user"};
    if (work->request->no_timer) return;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(work->timer, sizeof work->timer,
                "%s/dnnl-cache-refresh.timer", folders[i]);
        if (permanent_scope_has(&work->scope, work->timer)) return;
    }
    work->timer[0] = '\0';
}

static const struct permanent_file *file_of(
        const struct work *work, enum session_form form)
{
    size_t i = 0;
    while (work->files[i].form != form)
        i++;
    return &work->files[i];
}

/* Was the link made by an earlier run, or will it be by this one? */
static bool has_own_timer(const struct work *work)
{
    const struct permanent_file *timer = file_of(work, session_timer);
    const struct permanent_file *noted = file_of(work, session_environment);
    if (noted->state == permanent_ours && session_text_has_timer(noted->text)
            && timer->state == permanent_ours)
        return true;
    return timer->state == permanent_absent && work->timer[0] != '\0';
}

/* ---- One at a time ------------------------------------------------------- */

static bool take_lock(struct work *work)
{
    enum { most_ms = 10000 };
    const char *folder = work->scope.config;
    const int error = marked_file_open(&work->lock, work->scope.root, folder,
            true, work->scope.is_system ? 0755 : 0700);
    if (error != 0) return fail_at(work, folder, error);
    /* Any other error: there are no locks. */
    return file_lock(work->lock, file_lock_alone, most_ms) != ETIMEDOUT
           || fail("%s%s: another dnnl-cache-run is at work", work->scope.root,
                   folder);
}

static bool work_begin(
        struct work *work, const struct permanent_request *request, bool makes)
{
    *work = (struct work){.request = request, .lock = file_none};
    if (!permanent_scope_init(
                &work->scope, request->system, request->root, true))
        return false;
    (void)snprintf(work->conf, sizeof work->conf,
            "%.*s/" CONFIGURATION_FOLDER "/" CONFIGURATION_NAME, path_size - 32,
            work->scope.config);
    if (makes && !take_lock(work)) return false;
    work->count = permanent_files_look(work->files, &work->scope);
    return true;
}

static void work_end(struct work *work)
{
    permanent_files_fini(work->files, work->count);
    free(work->conf_before);
    free(work->conf_after);
    (void)file_close(work->lock);
}

/* ---- Settings ------------------------------------------------------------ */

static bool check_setting(
        const struct work *work, const struct permanent_setting *setting)
{
    const char *why;
    if (!configuration_is_setting(setting->name))
        return fail("%s cannot be set in a file", setting->name);
    if (work->scope.is_system && strcmp(setting->name, "DNNL_CACHE_DIR") == 0)
        return fail("--dir is not for --system: no two users may share a "
                    "folder");
    if (!conf_edit_check(setting->value, &why))
        return fail("%s: a value with %s cannot be written to a file",
                setting->name, why);
    return true;
}

/* Replaces *text; false: no memory. */
static bool replace(char **text, char *made)
{
    if (made == NULL) return false;
    free(*text);
    *text = made;
    return true;
}

static bool set_in_text(char **text, const char *name, char *value)
{
    const bool good =
            value != NULL && replace(text, conf_edit_set(*text, name, value));
    free(value);
    return good;
}

/* An application on the one list is on the other no longer. */
static bool add_entry(char **text, const struct permanent_setting *setting)
{
    const char *other = strcmp(setting->name, APPLICATIONS_ALLOW) == 0
                                ? APPLICATIONS_DENY
                                : APPLICATIONS_ALLOW;
    char *list = conf_edit_get(*text, setting->name);
    char *others = conf_edit_get(*text, other);
    bool good = set_in_text(
            text, setting->name, conf_edit_list_with(list, setting->value));
    if (good && others != NULL)
        good = set_in_text(
                text, other, conf_edit_list_without(others, setting->value));
    free(list);
    free(others);
    return good;
}

/* False: there is a file that the layer would not read. */
static bool read_conf(struct work *work)
{
    char why[128];
    size_t size = 0;
    const int error = marked_file_read(
            &work->conf_before, &size, work->scope.root, work->conf);
    if (error != 0)
        return error == ENOENT
               || (error == EINVAL ? fail("%s%s: a link, or not a regular "
                                          "file: edit it by hand",
                           work->scope.root, work->conf)
                                   : fail_at(work, work->conf, error));
    return conf_edit_is_good(work->conf_before, size, why, sizeof why)
           || fail("%s%s: %s; correct the file first", work->scope.root,
                   work->conf, why);
}

static bool apply(
        char **text, const struct permanent_setting *settings, size_t count)
{
    bool good = *text != NULL;
    for (size_t i = 0; good && i < count; i++)
        good = settings[i].is_entry ? add_entry(text, &settings[i])
                                    : set_in_text(text, settings[i].name,
                                            strdup(settings[i].value));
    return good;
}

static bool plan_conf(struct work *work,
        const struct permanent_setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!check_setting(work, &settings[i])) return false;
    if (count == 0) return true;
    if (!read_conf(work)) return false;
    work->conf_after = work->conf_before != NULL ? strdup(work->conf_before)
                                                 : conf_edit_new();
    if (!apply(&work->conf_after, settings, count))
        return fail("out of memory");
    if (strlen(work->conf_after) > configuration_file_size_max)
        return fail("%s%s: would be larger than %d bytes", work->scope.root,
                work->conf, (int)configuration_file_size_max);
    return true;
}

static bool changes_conf(const struct work *work)
{
    return work->conf_after != NULL
           && (work->conf_before == NULL
                   || strcmp(work->conf_before, work->conf_after) != 0);
}

/* ---- Enabling ------------------------------------------------------------ */

/* What becomes of one file. */
struct step {
    char *text; /* NULL: a link */
    bool is_change;
    bool is_new;
};

/* False: the file stops it. */
static bool plan_file(const struct work *work, struct step *step, size_t index)
{
    const struct permanent_file *file = &work->files[index];
    *step = (struct step){.is_new = file->state == permanent_absent};
    if (file->state == permanent_unreadable)
        return fail_at(work, file->path, file->error);
    if (file->form == session_timer) {
        step->is_change = step->is_new && work->timer[0] != '\0';
    } else if (file->is_wanted || file->state == permanent_ours) {
        if (file->state == permanent_foreign)
            return fail("%s%s: not written by dnnl-cache-run: move it away "
                        "first",
                    work->scope.root, file->path);
        step->text = session_text(file->form, work->layer, has_own_timer(work));
        if (step->text == NULL) return fail("out of memory");
        step->is_change = step->is_new || strcmp(step->text, file->text) != 0;
    }
    const int error = step->is_change ? marked_file_check_writable(
                              work->scope.root, file->path)
                                      : 0;
    return error == 0 || fail_at(work, file->path, error);
}

static bool plan_files(const struct work *work, struct step *steps)
{
    int error;
    if (changes_conf(work)
            && (error = marked_file_check_writable(
                        work->scope.root, work->conf))
                       != 0)
        return fail_at(work, work->conf, error);
    for (size_t i = 0; i < work->count; i++)
        if (!plan_file(work, &steps[i], i)) return false;
    return true;
}

static void print_text(const char *path, const char *text)
{
    printf("%s:\n", path);
    while (*text != '\0') {
        const size_t size = strcspn(text, "\n");
        printf("    %.*s\n", (int)size, text);
        text += size + (text[size] == '\n');
    }
}

/* A dry run: what would be written, as a whole. */
static void print_plan(const struct work *work, const struct step *steps)
{
    if (changes_conf(work)) print_text(work->conf, work->conf_after);
    for (size_t i = 0; i < work->count; i++)
        if (steps[i].is_change && steps[i].text != NULL)
            print_text(work->files[i].path, steps[i].text);
        else if (steps[i].is_change)
            printf("%s -> %s\n", work->files[i].path, work->timer);
}

static bool write_file(const struct work *work, const struct step *step,
        const struct permanent_file *file)
{
    const char *root = work->scope.root;
    const int error =
            step->text == NULL
                    ? marked_file_link(root, file->path, work->timer)
                    : marked_file_write(root, file->path, 0644, step->text,
                            strlen(step->text), step->is_new);
    if (error == 0) return true;
    return error == EEXIST ? fail("%s%s: not written by dnnl-cache-run: move "
                                  "it away first",
                   root, file->path)
                           : fail_at(work, file->path, error);
}

/* The files that are new are removed again if one cannot be written. */
static bool write_files(const struct work *work, const struct step *steps)
{
    size_t i = 0;
    while (i < work->count
            && (!steps[i].is_change
                    || write_file(work, &steps[i], &work->files[i])))
        i++;
    if (i == work->count) return true;
    while (i-- > 0)
        if (steps[i].is_change && steps[i].is_new)
            (void)marked_file_remove(work->scope.root, work->files[i].path);
    return false;
}

static void give_warning(void *user, const char *text)
{
    (void)user;
    fprintf(stderr, "dnnl-cache-run: warning: %s\n", text);
}

/* The layer may not like what it finds, such as the folder's mode. */
static void check_conf(const struct work *work)
{
    const struct configuration_reader reader = {NULL, give_warning, NULL};
    if (work->scope.root[0] == '\0')
        configuration_free(configuration_read_file(
                &reader, work->conf, work->scope.is_system));
}

static bool write_conf(const struct work *work)
{
    if (!changes_conf(work)) return true;
    const int error = marked_file_write(work->scope.root, work->conf,
            work->scope.is_system ? 0644 : 0600, work->conf_after,
            strlen(work->conf_after), work->conf_before == NULL);
    if (error != 0) return fail_at(work, work->conf, error);
    check_conf(work);
    return true;
}

static void tell_enabled(const struct work *work, const struct step *steps)
{
    const char *root = work->scope.root;
    const char *shell = file_of(work, session_sh)->path;
    const bool has_timer =
            file_of(work, session_timer)->state != permanent_absent
            || work->timer[0] != '\0';
    if (changes_conf(work)) printf("wrote %s%s\n", root, work->conf);
    for (size_t i = 0; i < work->count; i++)
        if (steps[i].is_change)
            printf("wrote %s%s\n", root, work->files[i].path);
        else if (work->files[i].state == permanent_ours)
            printf("unchanged: %s%s\n", root, work->files[i].path);
    if (work->scope.is_system)
        puts("New sessions of all users run under the layer. Services of the "
             "system do not:\nsee docs/how_to/keep_the_layer_on.md.");
    else
        printf("New sessions that systemd starts run under the layer. For "
               "login shells without\nsystemd add this line to ~/.profile, "
               "and for this shell run it:\n"
               "    [ -r '%s' ] && . '%s'\n",
                shell, shell);
    if (has_timer)
        puts("dnnl-cache-refresh.timer stores daily what applications left to "
             "be stored.");
    else
        puts("Run dnnl-cache refresh --quiet daily, such as from cron: it "
             "stores what\napplications left to be stored.");
}

static bool enable(struct work *work, const struct permanent_setting *settings,
        size_t count, struct step *steps)
{
    if (!find_layer(work) || !plan_conf(work, settings, count)) return false;
    find_timer(work);
    if (!plan_files(work, steps)) return false;
    if (work->request->dry_run) {
        print_plan(work, steps);
        return true;
    }
    if (!write_conf(work) || !write_files(work, steps)) return false;
    if (!work->request->quiet) tell_enabled(work, steps);
    return true;
}

int permanent_enable_layer(const struct permanent_request *request,
        const struct permanent_setting *settings, size_t count)
{
    struct step steps[permanent_files_max] = {{NULL, false, false}};
    struct work work;
    const bool good = work_begin(&work, request, !request->dry_run)
                      && enable(&work, settings, count, steps);
    for (size_t i = 0; i < permanent_files_max; i++)
        free(steps[i].text);
    work_end(&work);
    return good ? 0 : permanent_failed;
}

/* ---- Disabling ----------------------------------------------------------- */

/* The one that was there before stays. */
static bool is_to_go(const struct work *work, const struct permanent_file *file)
{
    return file->state == permanent_ours
           && (file->form != session_timer || has_own_timer(work));
}

static bool remove_file(
        const struct work *work, const struct permanent_file *file)
{
    const char *root = work->scope.root;
    if (file->state == permanent_unreadable)
        return fail_at(work, file->path, file->error);
    if (file->state == permanent_foreign) {
        fprintf(stderr,
                "dnnl-cache-run: %s%s: not written by dnnl-cache-run: not "
                "removed\n",
                root, file->path);
        return true;
    }
    if (!is_to_go(work, file)) return true;
    const int error =
            work->request->dry_run ? 0 : marked_file_remove(root, file->path);
    if (error != 0) return fail_at(work, file->path, error);
    if (!work->request->quiet)
        printf("%s %s%s\n", work->request->dry_run ? "would remove" : "removed",
                root, file->path);
    return true;
}

/* The link goes first: a file before it notes whose it is. */
static bool disable(const struct work *work)
{
    bool good = true;
    for (size_t i = work->count; good && i-- > 0;) {
        good = remove_file(work, &work->files[i]);
        if (good && !work->request->dry_run)
            marked_file_clean(work->scope.root, work->files[i].path);
    }
    if (!work->request->dry_run)
        marked_file_clean(work->scope.root, work->conf);
    if (!good || work->request->quiet) return good;
    if (permanent_scope_has(&work->scope, work->conf))
        printf("%s%s: kept; dnnl-cache-run COMMAND reads it, too\n",
                work->scope.root, work->conf);
    puts("Sessions that run keep the layer until they end.");
    return true;
}

int permanent_disable_layer(const struct permanent_request *request)
{
    struct work work;
    bool good = work_begin(&work, request, false);
    /* Nothing is made for nothing. */
    if (good && !request->dry_run
            && permanent_scope_has(&work.scope, work.scope.config)) {
        permanent_files_fini(work.files, work.count);
        work.count = 0;
        good = take_lock(&work);
        if (good) work.count = permanent_files_look(work.files, &work.scope);
    }
    good = good && disable(&work);
    work_end(&work);
    return good ? 0 : permanent_failed;
}

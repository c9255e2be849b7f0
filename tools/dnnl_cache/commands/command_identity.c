/* SPDX-License-Identifier: Apache-2.0 */
/* identity: what this machine's entries depend on, and in what two machines
 * differ. */
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/identity_diff.h"
#include "tools/dnnl_cache/view/identity_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reports ------------------------------------------------------------- */

static enum tool_exit read_tree(struct json_tree *tree, struct tool *tool,
        const char *name, const void *text, size_t size)
{
    if (!json_tree_read(tree, text, size)) return tool_no_memory(tool);
    if (identity_is_report(tree->root)) return exit_ok;
    tool_error(tool, "%s: not a report of dnnl-cache identity --json", name);
    return exit_io;
}

/* Shows the report, too, if it is to be. */
static enum tool_exit read_this_machine(
        struct json_tree *tree, struct tool *tool, bool is_shown)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) return tool_no_memory(tool);
    const bool is_written = identity_report_write(out);
    enum tool_exit code = exit_ok;
    if (fclose(out) != 0 || !is_written) code = tool_no_memory(tool);
    if (code == exit_ok)
        code = read_tree(tree, tool, "this machine", text, size);
    if (code == exit_ok && is_shown)
        (void)fwrite(text, 1, size, tool->out); /* tool_run() looks at errors */
    free(text);
    return code;
}

static enum tool_exit read_file(
        struct json_tree *tree, struct tool *tool, const char *path)
{
    enum { most_bytes = 16 << 20 };
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? malloc(most_bytes) : NULL;
    enum tool_exit code = exit_io;
    if (file == NULL) {
        tool_error(tool, "%s: %s", path, strerror(errno));
    } else if (text == NULL) {
        code = tool_no_memory(tool);
    } else {
        const size_t size = fread(text, 1, most_bytes, file);
        if (ferror(file))
            tool_error(tool, "%s: %s", path, strerror(errno));
        else
            code = read_tree(tree, tool, path, text, size);
    }
    free(text);
    if (file != NULL) (void)fclose(file);
    return code;
}

/* ---- This machine -------------------------------------------------------- */

static void write_text(FILE *out, const char *text)
{
    text_print(out, text, strlen(text));
}

static void write_device(FILE *out, const struct json_node *device)
{
    write_text(out, json_tree_get_text(device, "device"));
    fputs(" (", out);
    write_text(out, json_tree_get_text(device, "platform"));
    fputs(")\n", out);
}

/* As inspect shows values: a number where it is one. */
static void write_hex(FILE *out, const char *hex)
{
    enum { number_bytes = 4 };
    uint32_t number = 0;
    if (strlen(hex) != 2 * number_bytes
            || strspn(hex, "0123456789abcdef") != 2 * number_bytes) {
        fputs(hex, out);
        return;
    }
    for (int i = number_bytes - 1; i >= 0; i--) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        number = number << 8 | (uint32_t)strtoul(digits, NULL, 16);
    }
    fprintf(out, "%" PRIu32, number);
}

static const struct json_node *list_of(
        const struct json_node *node, const char *name)
{
    const struct json_node *list = json_tree_get(node, name);
    return list != NULL ? list->first : NULL;
}

static void write_machine(FILE *out, const struct json_node *report)
{
    const struct json_node *d = list_of(report, "devices");
    for (; d != NULL; d = d->next) {
        write_device(out, d);
        if (strcmp(json_tree_get_text(d, "has_identity"), "true") != 0)
            fputs("  has no identity: nothing of it is cacheable\n", out);
        const struct json_node *f = list_of(d, "fields");
        for (; f != NULL; f = f->next) {
            fprintf(out, "  %-24s ", json_tree_get_text(f, "name"));
            write_text(out, json_tree_get_text(f, "text"));
            write_hex(out, json_tree_get_text(f, "hex"));
            fputc('\n', out);
        }
        const struct json_node *p = list_of(d, "driver_parts");
        for (; p != NULL; p = p->next) {
            const char *why = json_tree_get_text(p, "why_not");
            fputs("  ", out);
            write_text(out, json_tree_get_text(p, "name"));
            fprintf(out, ": %s %s%s%s%s\n", json_tree_get_text(p, "how"),
                    json_tree_get_text(p, "digest"),
                    why[0] != '\0' ? " (does not count: " : "", why,
                    why[0] != '\0' ? ")" : "");
        }
    }
}

static enum tool_exit show_machine(struct tool *tool)
{
    struct json_tree tree = {NULL, NULL, NULL};
    const bool json = tool->options->json;
    enum tool_exit code = read_this_machine(&tree, tool, json);
    if (code == exit_ok && !json) write_machine(tool->out, tree.root);
    if (code == exit_ok && list_of(tree.root, "devices") == NULL) {
        tool_warn(tool, "no OpenCL device was found on this machine");
        code = exit_found;
    }
    json_tree_fini(&tree);
    return code;
}

/* ---- Two machines -------------------------------------------------------- */

static const char *const places[] = {
        "field", "field of engines and primitives", "driver", "not counted"};

struct difference_report {
    FILE *out;
    struct json *json; /* NULL: text */
    size_t counts[4];  /* by place */
};

static void tell(void *user, const struct identity_difference *d)
{
    struct difference_report *r = user;
    r->counts[d->place]++;
    if (r->json != NULL) {
        json_begin_object(r->json, NULL);
        json_text(r->json, "where", places[d->place]);
        json_text(r->json, "name", d->name);
        json_text(r->json, "a", d->a);
        json_text(r->json, "b", d->b);
        json_end_object(r->json);
        return;
    }
    fprintf(r->out, "  %s: ", places[d->place]);
    write_text(r->out, d->name);
    fputs("\n    A: ", r->out);
    write_text(r->out, d->a != NULL ? d->a : "none");
    fputs("\n    B: ", r->out);
    write_text(r->out, d->b != NULL ? d->b : "none");
    fputc('\n', r->out);
}

/* What the differences of a device mean. */
static const char *verdict(const struct difference_report *r)
{
    if (r->counts[identity_place_device] + r->counts[identity_place_part] > 0)
        return "no entry of one is used on the other";
    if (r->counts[identity_place_library] > 0)
        return "programs of applications are shared, engines and primitives "
               "are not";
    return "entries are shared";
}

/* Of B alone: a is NULL, and so the other way round. exit_found: they differ.
 */
static enum tool_exit compare_device(struct tool *tool, struct json *json,
        const struct json_node *a, const struct json_node *b)
{
    const struct json_node *shown = a != NULL ? a : b;
    struct difference_report r = {.out = tool->out, .json = json};
    if (json != NULL) {
        json_begin_object(json, NULL);
        json_text(json, "platform", json_tree_get_text(shown, "platform"));
        json_text(json, "device", json_tree_get_text(shown, "device"));
        json_begin_array(json, "differences");
    } else {
        write_device(tool->out, shown);
    }
    const bool is_of_both = a != NULL && b != NULL;
    const bool has_identity =
            is_of_both
            && strcmp(json_tree_get_text(a, "has_identity"), "true") == 0
            && strcmp(json_tree_get_text(b, "has_identity"), "true") == 0;
    const bool good = !is_of_both || identity_diff(a, b, tell, &r);
    const char *words = b == NULL       ? "only A has this device"
                        : a == NULL     ? "only B has this device"
                        : !has_identity ? "has no identity: nothing is shared"
                                        : verdict(&r);
    const bool is_same = has_identity
                         && r.counts[identity_place_device]
                                            + r.counts[identity_place_part]
                                            + r.counts[identity_place_library]
                                    == 0;
    if (json != NULL) {
        json_end_array(json);
        json_bool(json, "same", is_same);
        json_text(json, "verdict", words);
        json_end_object(json);
    } else {
        fprintf(tool->out, "  %s\n", words);
    }
    if (!good) return tool_no_memory(tool);
    return is_same ? exit_ok : exit_found;
}

/* Those of A, and those of B that A does not have. */
static enum tool_exit compare_devices(struct tool *tool, struct json *json,
        const struct json_node *a, const struct identity_devices *of_a,
        const struct json_node *b, const struct identity_devices *of_b)
{
    enum tool_exit code = a != NULL ? exit_ok : exit_found;
    const struct json_node *d = a;
    for (; d != NULL && (code == exit_ok || code == exit_found); d = d->next) {
        const enum tool_exit one =
                compare_device(tool, json, d, identity_devices_find(of_b, d));
        if (one != exit_ok) code = one;
    }
    for (d = b; d != NULL && (code == exit_ok || code == exit_found);
            d = d->next)
        if (identity_devices_find(of_a, d) == NULL)
            code = compare_device(tool, json, NULL, d);
    return code;
}

/* exit_found: they differ. */
static enum tool_exit compare_reports(struct tool *tool, struct json *json,
        const struct json_node *a, const struct json_node *b)
{
    const struct json_node *first_a = list_of(a, "devices");
    const struct json_node *first_b = list_of(b, "devices");
    struct identity_devices of_a = {NULL, 0};
    struct identity_devices of_b = {NULL, 0};
    if (first_a == NULL && first_b == NULL)
        tool_warn(tool, "neither has an OpenCL device: nothing is shared");
    const bool good =
            identity_devices_init(&of_a, a) && identity_devices_init(&of_b, b);
    const enum tool_exit code =
            good ? compare_devices(tool, json, first_a, &of_a, first_b, &of_b)
                 : tool_no_memory(tool);
    identity_devices_fini(&of_a);
    identity_devices_fini(&of_b);
    return code;
}

static enum tool_exit compare(struct tool *tool)
{
    const struct options *options = tool->options;
    struct json_tree a = {NULL, NULL, NULL};
    struct json_tree b = {NULL, NULL, NULL};
    const char *name_of_b = options->argument_count > 2 ? options->arguments[2]
                                                        : "this machine";
    enum tool_exit code = read_file(&a, tool, options->arguments[1]);
    if (code == exit_ok)
        code = options->argument_count > 2
                       ? read_file(&b, tool, options->arguments[2])
                       : read_this_machine(&b, tool, false);
    if (code == exit_ok && options->json) {
        struct json json;
        tool_json_begin(&json, tool, "identity diff");
        json_text(&json, "a", options->arguments[1]);
        json_text(&json, "b", name_of_b);
        json_begin_array(&json, "devices");
        code = compare_reports(tool, &json, a.root, b.root);
        json_end_array(&json);
        json_bool(&json, "same", code == exit_ok);
        json_end_object(&json);
    } else if (code == exit_ok) {
        fputs("A: ", tool->out);
        write_text(tool->out, options->arguments[1]);
        fputs("\nB: ", tool->out);
        write_text(tool->out, name_of_b);
        fputc('\n', tool->out);
        code = compare_reports(tool, NULL, a.root, b.root);
    }
    json_tree_fini(&a);
    json_tree_fini(&b);
    return code;
}

static int run_identity(struct tool *tool)
{
    const struct options *options = tool->options;
    if (options->argument_count == 0) return (int)show_machine(tool);
    if (strcmp(options->arguments[0], "diff") != 0) {
        tool_error(tool, "identity: expected diff FILE [FILE], not %s",
                options->arguments[0]);
        return exit_usage;
    }
    if (options->argument_count < 2) {
        tool_error(tool, "identity diff: too few arguments");
        return exit_usage;
    }
    return (int)compare(tool);
}

static const char identity_help[] =
        "Shows each device with all fields of its IDs, and each object and "
        "file\nof its driver. Parts that take no part in compiling do not "
        "count. diff\ncompares two files that identity --json wrote, or one "
        "with this machine;\nneeds no store. The exit status of diff is 0 if "
        "the machines share all\nentries, 1 if not, and 4 if a file cannot be "
        "read.\n";

const struct command command_identity = {.name = "identity",
        .arguments = "[diff FILE [FILE]]",
        .purpose = "Show what entries depend on, and how two machines differ",
        .details = identity_help,
        .max_arguments = 3,
        .run = run_identity};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an ID says of programs and where they are, for move_campaign.py: reads
 * lines "FOLDER<tab>OPTIONS<tab>SOURCE" and writes, of each program in that
 * working directory, "moves", "stays" or "refused", and its options and its
 * digest as they are in the ID. --plant is a fault that the campaign must find:
 * blind, all move; relations, the digest is of what the files hold alone.
 */
#include "src/drivers/option_folders.h"
#include "src/includes/includes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_text(const char *path)
{
    enum { most = 1 << 16 };
    char *text = calloc(1, most);
    FILE *in = fopen(path, "re");
    if (text != NULL && in != NULL) (void)!fread(text, 1, most - 1, in);
    if (in != NULL) (void)fclose(in);
    return text;
}

static void print_digest(const uint8_t digest[32])
{
    for (size_t i = 0; i < 32; i++)
        printf("%02x", digest[i]);
}

struct plant {
    bool is_blind;
    bool lacks_relations;
};

static void answer(
        const char *options, const char *path, const struct plant *plant)
{
    static const struct include_driver pocl = {
            "Portable Computing Language", true};
    struct includes out;
    char *text = read_text(path);
    char *named = option_folders_name(options);
    const char *const texts[] = {text};
    if (text == NULL || named == NULL) abort();
    if (!includes_follow_to_move(&out, NULL, &pocl, 1, texts, NULL, options)) {
        printf("refused\t%s", out.reason);
    } else if (!out.moves && !plant->is_blind) {
        printf("stays\t%s\t", options);
        print_digest(out.digest);
    } else {
        printf("moves\t%s\t", named);
        print_digest(plant->is_blind || plant->lacks_relations
                             ? out.digest
                             : out.moved_digest);
    }
    putchar('\n');
    (void)fflush(stdout);
    free(named);
    free(text);
}

int main(int count, char **words)
{
    const char *planted =
            count > 2 && strcmp(words[1], "--plant") == 0 ? words[2] : "";
    const struct plant plant = {.is_blind = strcmp(planted, "blind") == 0,
            .lacks_relations = strcmp(planted, "relations") == 0};
    char line[1 << 14];
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *options = strchr(line, '\t');
        char *source = options != NULL ? strchr(options + 1, '\t') : NULL;
        if (source == NULL) return 2;
        *options++ = '\0';
        *source++ = '\0';
        source[strcspn(source, "\n")] = '\0';
        if (chdir(line) != 0) return 2;
        answer(options, source, &plant);
    }
    return 0;
}

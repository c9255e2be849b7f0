/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that asks OpenCL everything about its programs and kernels, at
 * every stage of their lives:
 *
 *     query_client PLATFORM [SCENE ...]
 *
 * takes the first platform whose name holds PLATFORM, plays the scenes (all of
 * them, if none is named) and prints every answer. Two runs on one driver
 * print the same: so do a run without and one with a layer that nobody can
 * tell is there. Ends with 77 where there is no such platform.
 */
#include "answers.h"
#include "client.h"

#include <stdio.h>
#include <string.h>

static const struct scene {
    const char *name;
    void (*play)(const struct client *client);
} scenes[] = {
        {"source", scene_source},
        {"arguments", scene_arguments},
        {"rebuild", scene_rebuild},
        {"failure", scene_failure},
        {"no_kernels", scene_no_kernels},
        {"over", scene_over},
        {"callback", scene_callback},
        {"references", scene_references},
        {"outlive", scene_outlive},
        {"errors", scene_errors},
        {"several", scene_several},
        {"parted", scene_parted},
        {"sub_device", scene_sub_device},
        {"link", scene_link},
        {"parts", scene_parts},
        {"link_options", scene_link_options},
        {"no_options", scene_no_options},
        {"empty_options", scene_empty_options},
        {"compile_built", scene_compile_built},
        {"binary", scene_binary},
        {"input", scene_input},
        {"unload", scene_unload},
        {"printf", scene_printf},
        {"extensions", scene_extensions},
        {"threads", scene_threads},
        {"states", scene_states},
        {"contexts", scene_contexts},
};

static void play(const struct scene *scene, const struct client *client)
{
    answers_begin(scene->name);
    scene->play(client);
}

static bool play_named(const char *name, const struct client *client)
{
    for (size_t i = 0; i < sizeof(scenes) / sizeof(*scenes); i++) {
        if (strcmp(scenes[i].name, name) != 0) continue;
        play(&scenes[i], client);
        return true;
    }
    fprintf(stderr, "no scene %s\n", name);
    return false;
}

int main(int argc, char **argv)
{
    struct client client;
    bool fine = true;

    if (argc < 2) return 2;
    if (!client_open(&client, argv[1])) return 77;
    for (int i = 2; fine && i < argc; i++)
        fine = play_named(argv[i], &client);
    for (size_t i = 0; argc == 2 && i < sizeof(scenes) / sizeof(*scenes); i++)
        play(&scenes[i], &client);
    client_close(&client);
    return fine ? 0 : 2;
}

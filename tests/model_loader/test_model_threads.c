/* SPDX-License-Identifier: Apache-2.0 */
/* The thread rule of the model loader's library, on the fake driver, which
 * computes nothing: what ThreadSanitizer is to see. */
#include "dnnl_cache/dnnl_cache_model.h"
#include "example_process.h"
#include "model_text.h"
#include "test.h"

#include <dnnl_cache/store.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* v and u are large: they stay in the file until they are uploaded. */
#define MODEL                                                           \
    "opset 13\ninput x f32 1,4,8,8\nconst w f32 6,4,3,3 = 0.1 -0.2\n"   \
    "const v f32 7,1024 = 0.5\nconst u f32 1024,7 = 0.25\n"             \
    "Conv x,w -> c pads=[1,1,1,1]\nMaxPool c -> p kernel_shape=[2,2]\n" \
    "MatMul p,v -> q\nMatMul q,u -> r\n"                                \
    "Softmax r -> y axis=1\noutput y f32 1,6,7,7"

enum { rounds = 3, runs = 4 };

struct user {
    const dnnl_cache_store_t *store;
    const struct model_text *text;
    cl_device_id device; /* of the context */
    cl_context context;  /* shared by all */
    dnnl_cache_model_t model;
    dnnl_status_t status;
};

static void load(struct user *user)
{
    dnnl_cache_model_t model = user->model;
    EXPECT_OK(dnnl_cache_model_set_device(model, user->device, user->context));
    EXPECT_OK(dnnl_cache_model_set_store(model, user->store));
    EXPECT_OK(dnnl_cache_model_set_folder(
            model, example_path(test_directory(), "lists").text));
    EXPECT_OK(dnnl_cache_model_set_threads(model, 2));
    EXPECT_OK(dnnl_cache_model_set_helper(model, ""));
    EXPECT_OK(dnnl_cache_model_start(model));
    EXPECT_OK(dnnl_cache_model_load_memory(
            model, user->text->bytes, user->text->size, NULL));
    user->status = dnnl_cache_model_prepare(model);
}

static void run(struct user *user)
{
    static const float x[4 * 8 * 8] = {0};
    float y[6 * 7 * 7];
    for (int i = 0; i < runs && user->status == dnnl_success; i++) {
        EXPECT_OK(dnnl_cache_model_write_input(
                user->model, 0, NULL, x, sizeof x));
        user->status = i % 2 == 0 ? dnnl_cache_model_run(user->model)
                                  : dnnl_cache_model_run_async(
                                          user->model, 0, NULL, NULL);
        if (user->status == dnnl_success)
            user->status = dnnl_cache_model_wait(user->model);
        if (user->status == dnnl_success)
            EXPECT_OK(
                    dnnl_cache_model_read_output(user->model, 0, y, sizeof y));
    }
}

static void *use(void *argument)
{
    struct user *user = argument;
    load(user);
    run(user);
    return NULL;
}

struct scene {
    struct model_text text;
    dnnl_cache_store_handle_t *store;
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
};

static void set_scene(struct scene *scene)
{
    cl_int error = CL_SUCCESS;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    const struct example_path path = example_path(test_directory(), "store");
    options.path = path.text;
    model_text_init(&scene->text, MODEL);
    EXPECT_OK(dnnl_cache_store_open(&scene->store, "flat", &options));
    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &scene->platform, NULL));
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(scene->platform, CL_DEVICE_TYPE_ALL, 1,
                                  &scene->device, NULL));
    scene->context =
            clCreateContext(NULL, 1, &scene->device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
}

static void strike_scene(struct scene *scene)
{
    clReleaseContext(scene->context);
    dnnl_cache_store_close(scene->store);
    model_text_fini(&scene->text);
}

static void begin(struct user *user, const struct scene *scene)
{
    *user = (struct user){.store = dnnl_cache_store_get_callbacks(scene->store),
            .text = &scene->text,
            .device = scene->device,
            .context = scene->context};
    EXPECT_OK(dnnl_cache_model_create(&user->model));
}

/* One context, store and folder. */
TEST_C(ModelThreads, UseModelsOfTheirOwn)
{
    struct scene scene;
    set_scene(&scene);
    for (int round = 0; round < rounds; round++) {
        struct user users[2];
        pthread_t thread;
        for (int i = 0; i < 2; i++)
            begin(&users[i], &scene);
        ASSERT_EQ(0, pthread_create(&thread, NULL, use, &users[1]));
        use(&users[0]);
        pthread_join(thread, NULL);
        for (int i = 0; i < 2; i++) {
            dnnl_cache_model_report_t report = DNNL_CACHE_MODEL_REPORT_INIT;
            EXPECT_OK(users[i].status);
            EXPECT_OK(dnnl_cache_model_get_report(users[i].model, &report));
            if (round > 0) EXPECT_TRUE(report.is_warm);
            EXPECT_OK(dnnl_cache_model_destroy(users[i].model));
        }
    }
    strike_scene(&scene);
}

/* No thread can be had: there is no room for stacks of that size. */
TEST_C(ModelThreads, AreNotNeeded)
{
    struct scene scene;
    struct user user;
    pthread_attr_t usual, endless;
    set_scene(&scene);
    begin(&user, &scene);
    pthread_attr_init(&endless);
    ASSERT_EQ(0, pthread_attr_setstacksize(&endless, (size_t)1 << 47));
    ASSERT_EQ(0, pthread_getattr_default_np(&usual));
    ASSERT_EQ(0, pthread_setattr_default_np(&endless));
    use(&user);
    ASSERT_EQ(0, pthread_setattr_default_np(&usual));
    EXPECT_OK(user.status);
    EXPECT_OK(dnnl_cache_model_destroy(user.model));
    strike_scene(&scene);
    pthread_attr_destroy(&endless);
    pthread_attr_destroy(&usual);
}

static atomic_bool is_over;

static void *cancel(void *argument)
{
    const struct user *user = argument;
    while (!atomic_load(&is_over))
        EXPECT_OK(dnnl_cache_model_cancel(user->model));
    return NULL;
}

TEST_C(ModelThreads, CancelAtAnyTime)
{
    struct scene scene;
    set_scene(&scene);
    for (int round = 0; round < rounds; round++) {
        struct user user;
        pthread_t thread;
        begin(&user, &scene);
        atomic_store(&is_over, false);
        ASSERT_EQ(0, pthread_create(&thread, NULL, cancel, &user));
        use(&user);
        atomic_store(&is_over, true);
        pthread_join(thread, NULL);
        EXPECT_TRUE(user.status == dnnl_success
                    || user.status == dnnl_runtime_error);
        EXPECT_OK(dnnl_cache_model_destroy(user.model));
    }
    strike_scene(&scene);
}

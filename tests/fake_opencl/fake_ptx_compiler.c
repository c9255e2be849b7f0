/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for libnvidia-ptxjitcompiler.so: makes ELF files, with the header
 * of a CUBIN, of the fake driver's PTX (fake_ptx.h) and of any other text with
 * kernels. FAKE_PTX_FAULT says what goes wrong:
 *
 *     version create compile log size program  that call fails
 *     other_version                            of another CUDA
 *     none huge                                the size that is told
 *     garbage cut other_sm no_kernel           what comes out
 *     hang                                     a compilation of the fake
 *                                              driver's text never ends
 *     trial                                    what comes out of a text without
 *                                              the fake driver's binary
 *
 * FAKE_PTX_LOG names a file that gets the options of each compilation.
 * FAKE_PTX_GATE names a folder with two FIFOs: a compilation of the fake
 * driver's text writes a byte into "begun", and goes on when there is one in
 * "go"; or after five minutes, and makes a file "late" then. FAKE_PTX_MS: so
 * many milliseconds that text takes.
 */
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum { SUCCESS = 0, FAILED = 1, MOST_SECTIONS = 64 };

struct handle {
    char *ptx;
    uint8_t *program;
    size_t size;
};

static bool is_fault(const char *name)
{
    const char *fault = getenv("FAKE_PTX_FAULT");

    return fault != NULL && strcmp(fault, name) == 0;
}

#ifndef FAKE_PTX_WITHOUT_CALLS
API int nvPTXCompilerGetVersion(unsigned *major, unsigned *minor);
API int nvPTXCompilerCreate(struct handle **out, size_t size, const char *ptx);
API int nvPTXCompilerCompile(
        struct handle *handle, int count, const char *const *options);
API int nvPTXCompilerGetCompiledProgramSize(
        struct handle *handle, size_t *size);
API int nvPTXCompilerGetCompiledProgram(struct handle *handle, void *program);
API int nvPTXCompilerGetErrorLogSize(struct handle *handle, size_t *size);
API int nvPTXCompilerGetErrorLog(struct handle *handle, char *log);
API int nvPTXCompilerDestroy(struct handle **handle);

static const char message[] = "ptxas fatal : a fault was asked for\n";

int nvPTXCompilerGetVersion(unsigned *major, unsigned *minor)
{
    if (is_fault("version")) return FAILED;
    *major = is_fault("other_version") ? 12 : 13;
    *minor = 0;
    return SUCCESS;
}

int nvPTXCompilerCreate(struct handle **out, size_t size, const char *ptx)
{
    struct handle *handle = calloc(1, sizeof(*handle));

    if (handle == NULL || is_fault("create") || ptx[size] != '\0') {
        free(handle);
        return FAILED;
    }
    handle->ptx = strdup(ptx);
    *out = handle;
    return handle->ptx != NULL ? SUCCESS : FAILED;
}

/* An ELF file in the making: sections one behind the other. */
struct image {
    Elf64_Shdr sections[MOST_SECTIONS];
    unsigned count;
    char names[4096];
    size_t names_size;
    uint8_t *bytes;
    size_t size;
};

static void add(struct image *image, const char *prefix, const char *name,
        size_t name_size, uint32_t type, const void *data, size_t size)
{
    Elf64_Shdr *s = &image->sections[image->count++];

    memset(s, 0, sizeof(*s));
    s->sh_name = (Elf64_Word)image->names_size;
    s->sh_type = type;
    image->names_size += (size_t)snprintf(image->names + image->names_size,
                                 sizeof(image->names) - image->names_size,
                                 "%s%.*s", prefix, (int)name_size, name)
                         + 1;
    s->sh_offset = image->size;
    s->sh_size = size;
    image->bytes = realloc(image->bytes, image->size + size + 1);
    if (image->bytes == NULL) abort();
    if (size > 0) memcpy(image->bytes + image->size, data, size);
    image->size += size;
}

/* The bytes behind "// FAKEBIN ", two digits each. */
static void add_binary(struct image *image, const char *digits)
{
    const size_t size = strspn(digits, "0123456789abcdef") / 2;
    uint8_t *bytes = malloc(size + 1);

    if (bytes == NULL) abort();
    for (size_t i = 0; i < size; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
    add(image, ".fakebin", "", 0, SHT_PROGBITS, bytes, size);
    free(bytes);
}

static void put_header(struct image *image, unsigned sm)
{
    Elf64_Ehdr h;

    add(image, ".shstrtab", "", 0, SHT_STRTAB, NULL, 0);
    image->sections[image->count - 1].sh_size = image->names_size;
    memset(&h, 0, sizeof(h));
    memcpy(h.e_ident, ELFMAG, SELFMAG);
    h.e_ident[EI_CLASS] = ELFCLASS64;
    h.e_ident[EI_DATA] = ELFDATA2LSB;
    h.e_ident[EI_VERSION] = EV_CURRENT;
    h.e_ident[EI_ABIVERSION] = 7;
    h.e_type = ET_EXEC;
    h.e_machine = 190;
    h.e_version = EV_CURRENT;
    h.e_flags = sm;
    h.e_ehsize = sizeof(h);
    h.e_shentsize = sizeof(Elf64_Shdr);
    h.e_shnum = (Elf64_Half)image->count;
    h.e_shstrndx = (Elf64_Half)(image->count - 1);
    h.e_shoff = image->size + image->names_size;
    image->bytes = realloc(
            image->bytes, h.e_shoff + image->count * sizeof(Elf64_Shdr));
    if (image->bytes == NULL) abort();
    memcpy(image->bytes + image->size, image->names, image->names_size);
    memcpy(image->bytes + h.e_shoff, image->sections,
            image->count * sizeof(Elf64_Shdr));
    memcpy(image->bytes, &h, sizeof(h));
    image->size = h.e_shoff + image->count * sizeof(Elf64_Shdr);
}

static void assemble(struct handle *handle, unsigned sm)
{
    static const uint8_t code[16] = {1};
    const char *binary = strstr(handle->ptx, "// FAKEBIN ");
    struct image image;
    bool is_bad = is_fault("no_kernel") && binary != NULL;

    memset(&image, 0, sizeof(image));
    image.size = sizeof(Elf64_Ehdr);
    image.bytes = calloc(1, image.size);
    if (image.bytes == NULL) abort();
    add(&image, "", "", 0, SHT_NULL, NULL, 0);
    for (const char *at = strstr(handle->ptx, ".entry ");
            at != NULL && image.count < MOST_SECTIONS - 3;
            at = strstr(at + 1, ".entry ")) {
        if (!is_bad)
            add(&image, ".text.", at + 7, strcspn(at + 7, "(\n "), SHT_PROGBITS,
                    code, sizeof(code));
        is_bad = false;
    }
    if (binary != NULL) add_binary(&image, binary + 11);
    put_header(&image, sm);
    handle->program = image.bytes;
    handle->size = image.size;
    if ((is_fault("garbage") && binary != NULL)
            || (is_fault("trial") && binary == NULL))
        memset(handle->program, 0xa5, handle->size);
    if (is_fault("cut") && binary != NULL) handle->size /= 2;
}

static int open_in(const char *folder, const char *name, int flags)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return open(path, flags, 0600);
}

static void wait_at_gate(void)
{
    enum { PATIENCE_MS = 300000 }; /* only a failure reaches it */
    const char *folder = getenv("FAKE_PTX_GATE");
    struct pollfd go = {.events = POLLIN};

    if (folder == NULL) return;
    const int begun = open_in(folder, "begun", O_WRONLY);
    go.fd = open_in(folder, "go", O_RDWR);
    if (write(begun, "", 1) != 1 || poll(&go, 1, PATIENCE_MS) != 1)
        close(open_in(folder, "late", O_WRONLY | O_CREAT));
    close(begun);
    close(go.fd);
}

static void log_options(int count, const char *const *options)
{
    const char *path = getenv("FAKE_PTX_LOG");
    FILE *to = path != NULL ? fopen(path, "a") : NULL;

    if (to == NULL) return;
    for (int i = 0; i < count; i++)
        fprintf(to, "%s%s", i > 0 ? " " : "", options[i]);
    fputc('\n', to);
    fclose(to);
}

int nvPTXCompilerCompile(
        struct handle *handle, int count, const char *const *options)
{
    static const char gpu_name[] = "--gpu-name=sm_";
    unsigned sm = 0;

    log_options(count, options);
    for (int i = 0; i < count; i++)
        if (strncmp(options[i], gpu_name, sizeof(gpu_name) - 1) == 0)
            sm = (unsigned)strtoul(options[i] + sizeof(gpu_name) - 1, NULL, 10);
    if (is_fault("compile") || is_fault("log")) return FAILED;
    const bool is_binary = strstr(handle->ptx, "// FAKEBIN ") != NULL;
    const char *ms = getenv("FAKE_PTX_MS");
    if (is_binary) wait_at_gate();
    if (is_binary && ms != NULL)
        (void)usleep((useconds_t)(1000 * strtoul(ms, NULL, 10)));
    while (is_binary && is_fault("hang"))
        pause();
    assemble(handle, is_fault("other_sm") ? sm + 1 : sm);
    return SUCCESS;
}

int nvPTXCompilerGetCompiledProgramSize(struct handle *handle, size_t *size)
{
    if (is_fault("size")) return FAILED;
    *size = is_fault("none") ? 0 : is_fault("huge") ? SIZE_MAX : handle->size;
    return SUCCESS;
}

int nvPTXCompilerGetCompiledProgram(struct handle *handle, void *program)
{
    if (is_fault("program")) return FAILED;
    memcpy(program, handle->program, handle->size);
    return SUCCESS;
}

int nvPTXCompilerGetErrorLogSize(struct handle *handle, size_t *size)
{
    (void)handle;
    *size = sizeof(message) - 1;
    return is_fault("log") ? FAILED : SUCCESS;
}

int nvPTXCompilerGetErrorLog(struct handle *handle, char *log)
{
    (void)handle;
    memcpy(log, message, sizeof(message) - 1);
    return SUCCESS;
}

int nvPTXCompilerDestroy(struct handle **handle)
{
    free((*handle)->ptx);
    free((*handle)->program);
    free(*handle);
    *handle = NULL;
    return SUCCESS;
}
#else
API int nothing_of_interest(void);

int nothing_of_interest(void)
{
    return is_fault("") ? FAILED : SUCCESS;
}
#endif

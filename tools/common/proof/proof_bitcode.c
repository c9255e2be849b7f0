/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/proof/proof_bitcode.h"

#include "src/common/array.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Bits ---------------------------------------------------------------- */

/* has_failed stays: all that is read then is 0. */
struct bits {
    const uint8_t *data;
    uint64_t count;
    uint64_t at;
    bool has_failed;
};

static uint64_t take(struct bits *b, unsigned width)
{
    uint64_t value = 0;
    if (width > 64 || width > b->count - b->at) b->has_failed = true;
    if (b->has_failed) return 0;
    for (unsigned done = 0; done < width;) {
        const unsigned within = (unsigned)(b->at & 7);
        unsigned some = 8 - within;
        if (some > width - done) some = width - done;
        const uint64_t part =
                (uint64_t)(b->data[b->at >> 3] >> within) & ((1u << some) - 1);
        value |= part << done;
        done += some;
        b->at += some;
    }
    return value;
}

/* Pieces of so many bits, the highest of which says that there is another. */
static uint64_t take_pieces(struct bits *b, unsigned width)
{
    uint64_t value = 0;
    if (width < 2 || width > 32) b->has_failed = true;
    for (unsigned shift = 0; !b->has_failed; shift += width - 1) {
        const uint64_t piece = take(b, width);
        const uint64_t more = UINT64_C(1) << (width - 1);
        if (shift < 64) value |= (piece & (more - 1)) << shift;
        if ((piece & more) == 0) return value;
        if (shift >= 70) b->has_failed = true;
    }
    return 0;
}

static void align(struct bits *b)
{
    const uint64_t to = (b->at + 31) & ~UINT64_C(31);
    if (to > b->count)
        b->has_failed = true;
    else
        b->at = to;
}

/* ---- Abbreviations ------------------------------------------------------- */

enum encoding {
    encoding_literal = 0,
    encoding_fixed = 1,
    encoding_pieces = 2,
    encoding_array = 3,
    encoding_letter = 4,
    encoding_blob = 5
};

struct operand {
    enum encoding encoding;
    uint64_t value; /* of a literal; else a width */
};

/* What LLVM writes has less of each (block_info: 18). A block of a few bytes
 * gets copies of those of block_info, a record of two bits may have 32
 * literals, and an element of a bit becomes 8 bytes: forged bytes must not make
 * this process busy for long, nor take its memory. So there is a budget, too:
 * two units a bit of the module. A value of a record is a unit, as it is to
 * read one of a few bits; to copy an abbreviation takes as long as to read
 * some. */
enum {
    units_of_bit = 2,
    units_of_copy = 8,
    least_units = 4096,
    most_operands = 32,
    most_abbreviations = 512,
    most_known = 64,
    most_depth = 16,
    most_values = 1 << 22 /* of a record */
};

struct abbreviation {
    uint64_t block; /* that it is of */
    size_t count;
    struct operand operands[most_operands];
};

static struct operand read_operand(struct bits *b)
{
    struct operand o = {.encoding = encoding_literal};
    if (take(b, 1) != 0) {
        o.value = take_pieces(b, 8);
        return o;
    }
    o.encoding = (enum encoding)take(b, 3);
    if (o.encoding < encoding_fixed || o.encoding > encoding_blob)
        b->has_failed = true;
    if (o.encoding == encoding_fixed || o.encoding == encoding_pieces) {
        o.value = take_pieces(b, 5);
        if (o.value == 0) o.encoding = encoding_literal; /* takes no bits */
    }
    return o;
}

/* ---- Records ------------------------------------------------------------- */

enum {
    block_info = 0,
    block_module = 8,
    block_symbols = 14,
    block_metadata = 15,
    block_types = 17,
    block_strings = 23,
    block_linker_symbols = 25
};

struct block {
    uint64_t id;
    unsigned width;      /* of abbreviations' numbers */
    size_t first, count; /* its own abbreviations */
};

struct module {
    struct bits bits;
    XXH3_state_t *state;
    struct block stack[most_depth];
    size_t depth;
    /* Of all blocks that are open, and of block_info, in order. */
    struct abbreviation *abbreviations; /* owned */
    size_t count;
    struct abbreviation *known; /* owned; that blocks of an ID begin with */
    size_t known_count;
    uint64_t info_block; /* that block_info is about */
    uint64_t *record;    /* owned: code and operands */
    size_t record_size;
    bool has_module;
    size_t names_end; /* in the table of strings, of what has a name */
    const uint8_t *strings;
    size_t strings_size;
    uint64_t units; /* of the budget, that are left */
};

static void fail(struct module *m)
{
    m->bits.has_failed = true;
}

static void spend(struct module *m, uint64_t units)
{
    if (units > m->units)
        fail(m);
    else
        m->units -= units;
}

static void add(struct module *m, uint64_t value)
{
    spend(m, 1);
    if (m->record_size == most_values
            || !array_grow(&m->record, m->record_size, sizeof *m->record))
        fail(m);
    else
        m->record[m->record_size++] = value;
}

static uint64_t take_value(struct module *m, const struct operand *o)
{
    switch (o->encoding) {
    case encoding_literal:
        return o->value;
    case encoding_fixed:
        return take(&m->bits, o->value <= 64 ? (unsigned)o->value : 65);
    case encoding_pieces:
        return take_pieces(&m->bits, o->value <= 32 ? (unsigned)o->value : 0);
    case encoding_letter:
        return take(&m->bits, 6);
    default:
        fail(m);
        return 0;
    }
}

static void hash_number(struct module *m, uint64_t number)
{
    (void)XXH3_128bits_update(m->state, &number, sizeof number);
}

/* The bytes count, but for tables that have the path. */
static void take_blob(struct module *m)
{
    const uint64_t size = take_pieces(&m->bits, 6);
    align(&m->bits);
    if (m->bits.has_failed || size > (m->bits.count - m->bits.at) / 8) {
        fail(m);
        return;
    }
    const uint8_t *bytes = m->bits.data + m->bits.at / 8;
    const uint64_t block = m->stack[m->depth].id;
    m->bits.at += size * 8;
    align(&m->bits);
    if (block == block_strings) {
        m->strings = bytes;
        m->strings_size = (size_t)size;
    } else if (block != block_linker_symbols) {
        hash_number(m, size);
        (void)XXH3_128bits_update(m->state, bytes, (size_t)size);
    }
}

/* The number of elements is not trusted: each must take a bit, so that what is
 * made of them is bounded by the module's size. */
static void take_array(struct module *m, const struct operand *element)
{
    const uint64_t count = take_pieces(&m->bits, 6);
    if (element->encoding == encoding_literal
            || count > m->bits.count - m->bits.at)
        fail(m);
    for (uint64_t i = 0; i < count && !m->bits.has_failed; i++)
        add(m, take_value(m, element));
}

static void take_short(struct module *m, const struct abbreviation *a)
{
    for (size_t i = 0; i < a->count && !m->bits.has_failed; i++) {
        const struct operand *o = &a->operands[i];
        if (o->encoding == encoding_blob) {
            take_blob(m);
        } else if (o->encoding == encoding_array && i + 2 == a->count) {
            take_array(m, &a->operands[i + 1]);
            return;
        } else {
            add(m, take_value(m, o));
        }
    }
}

static void take_long(struct module *m)
{
    add(m, take_pieces(&m->bits, 6));
    const uint64_t count = take_pieces(&m->bits, 6);
    for (uint64_t i = 0; i < count && !m->bits.has_failed; i++)
        add(m, take_pieces(&m->bits, 6));
}

/* Paths, positions, and hashes of all. */
static bool is_left_out(uint64_t block, uint64_t code)
{
    enum {
        module_position = 13,
        module_source = 16,
        module_hash = 17,
        types_name = 19,
        metadata_position = 38,
        metadata_positions = 39
    };
    switch (block) {
    case block_module:
        return code == module_position || code == module_source
               || code == module_hash;
    case block_types:
        return code == types_name; /* numbered in the process */
    case block_metadata:
        return code == metadata_position || code == metadata_positions;
    default:
        return block == block_strings || block == block_linker_symbols
               || block == block_info;
    }
}

/* In these records a name is a part of the table of strings. */
static void note_name(struct module *m)
{
    static const uint64_t named[] = {7, 8, 12, 14, 18};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (m->record[0] == named[i] && m->record_size > 2
                && m->record[1] < SIZE_MAX / 2 && m->record[2] < SIZE_MAX / 2
                && m->record[1] + m->record[2] > m->names_end)
            m->names_end = (size_t)(m->record[1] + m->record[2]);
}

static void count_record(struct module *m)
{
    enum { symbols_function = 3, info_set = 1 };
    const uint64_t block = m->stack[m->depth].id;
    if (m->bits.has_failed || m->record_size == 0) return;
    if (block == block_info && m->record[0] == info_set && m->record_size > 1)
        m->info_block = m->record[1];
    if (block == block_module) note_name(m);
    if (is_left_out(block, m->record[0])) return;
    /* [number, position, ...] */
    if (block == block_symbols && m->record[0] == symbols_function
            && m->record_size > 2)
        m->record[2] = 0;
    hash_number(m, block);
    hash_number(m, m->record_size);
    (void)XXH3_128bits_update(
            m->state, m->record, m->record_size * sizeof *m->record);
}

/* ---- Blocks -------------------------------------------------------------- */

static void define(struct module *m)
{
    struct abbreviation a = {.block = m->info_block};
    struct block *block = &m->stack[m->depth];
    const uint64_t count = take_pieces(&m->bits, 5);
    if (count == 0 || count > most_operands) fail(m);
    for (uint64_t i = 0; i < count && !m->bits.has_failed; i++)
        a.operands[a.count++] = read_operand(&m->bits);
    if (m->bits.has_failed) return;
    const bool is_known = block->id == block_info;
    struct abbreviation **list = is_known ? &m->known : &m->abbreviations;
    size_t *list_count = is_known ? &m->known_count : &m->count;
    if (*list_count >= (is_known ? (size_t)most_known : most_abbreviations)
            || !array_grow(list, *list_count, sizeof **list)) {
        fail(m);
        return;
    }
    (*list)[(*list_count)++] = a;
    block->count += !is_known;
}

static void enter(struct module *m)
{
    struct block block = {.id = take_pieces(&m->bits, 8)};
    block.width = (unsigned)take_pieces(&m->bits, 4);
    align(&m->bits);
    (void)take(&m->bits, 32); /* its size */
    if (m->depth + 1 == most_depth || block.width < 2 || block.width > 32)
        fail(m);
    if (m->bits.has_failed) return;
    m->has_module = m->has_module || block.id == block_module;
    block.first = m->count;
    for (size_t i = 0; i < m->known_count; i++) {
        if (m->known[i].block != block.id) continue;
        spend(m, units_of_copy);
        if (m->bits.has_failed || m->count >= most_abbreviations
                || !array_grow(&m->abbreviations, m->count,
                        sizeof *m->abbreviations)) {
            fail(m);
            return;
        }
        m->abbreviations[m->count++] = m->known[i];
        block.count++;
    }
    m->stack[++m->depth] = block;
    hash_number(m, ~block.id);
}

static void leave(struct module *m)
{
    align(&m->bits);
    if (m->depth == 0) {
        fail(m);
        return;
    }
    m->count = m->stack[m->depth--].first;
    hash_number(m, UINT64_MAX);
}

static void step(struct module *m)
{
    enum { end = 0, begin = 1, defining = 2, whole = 3, first_short = 4 };
    const struct block *block = &m->stack[m->depth];
    const uint64_t number = take(&m->bits, block->width);
    m->record_size = 0;
    switch (number) {
    case end:
        leave(m);
        return;
    case begin:
        enter(m);
        return;
    case defining:
        define(m);
        return;
    case whole:
        take_long(m);
        break;
    default:
        if (number - first_short >= block->count)
            fail(m);
        else
            take_short(
                    m, &m->abbreviations[block->first + number - first_short]);
    }
    count_record(m);
}

static bool read_all(struct module *m)
{
    static const uint8_t magic[] = {'B', 'C', 0xc0, 0xde};
    if (m->bits.count < 8 * sizeof magic
            || memcmp(m->bits.data, magic, sizeof magic) != 0)
        return false;
    m->units = least_units + units_of_bit * m->bits.count;
    m->bits.at = 8 * sizeof magic;
    m->stack[0].width = 2;
    while (!m->bits.has_failed
            && (m->depth > 0 || m->bits.count - m->bits.at >= 32))
        step(m);
    if (m->bits.has_failed || !m->has_module || m->names_end > m->strings_size)
        return false;
    (void)XXH3_128bits_update(m->state, m->strings, m->names_end);
    return true;
}

bool proof_bitcode_digest(
        uint64_t digest[2], const uint8_t *module, size_t size)
{
    struct module m = {.bits = {.data = module, .count = (uint64_t)size * 8},
            .state = XXH3_createState()};
    const bool is_read = m.state != NULL && size < SIZE_MAX / 16
                         && XXH3_128bits_reset(m.state) == XXH_OK
                         && read_all(&m);
    if (is_read) {
        const XXH128_hash_t hash = XXH3_128bits_digest(m.state);
        digest[0] = hash.low64;
        digest[1] = hash.high64;
    }
    (void)XXH3_freeState(m.state);
    free(m.abbreviations);
    free(m.known);
    free(m.record);
    return is_read;
}

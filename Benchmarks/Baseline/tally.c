#include "tally.h"

static const uint64_t prime = 0x100000001B3;

static uint64_t add_byte(uint64_t hash, uint8_t byte) { return (hash ^ byte) * prime; }

static uint64_t add_text(uint64_t hash, const char *text) {
    for (; text && *text; text++) hash = add_byte(hash, (uint8_t)*text);
    return add_byte(hash, 0xFF);
}

void baseline_tally_add(baseline_tally *tally, const char *id, const char *name, int64_t number, const char *list) {
    tally->rows++;
    if (!tally->is_digesting) return;
    uint64_t hash = add_text(add_text(add_text(0xCBF29CE484222325, id), name), list);
    for (int i = 0; i < 8; i++) hash = add_byte(hash, (uint8_t)((uint64_t)number >> (8 * i)));
    tally->sum += hash;
    tally->chain = tally->chain * prime + hash;
}

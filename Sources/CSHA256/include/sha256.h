// The inner loop of SHA-256 (FIPS 180-4), where Swift's own would keep large files waiting; on Apple's platforms CryptoKit has it.

#ifndef CABINET_SHA256_H
#define CABINET_SHA256_H

#include <stddef.h>
#include <stdint.h>

/// Takes blocks of 64 bytes into the state, with the processor's own instructions for it if it has them.
void cabinet_sha256_compress(uint32_t state[8], const uint8_t *blocks, size_t count);

/// Does the same on every processor.
void cabinet_sha256_compress_portably(uint32_t state[8], const uint8_t *blocks, size_t count);

#endif

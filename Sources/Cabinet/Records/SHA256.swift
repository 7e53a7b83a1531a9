package import Foundation

#if canImport(CryptoKit)
import CryptoKit

/// Computes the checksum of bytes that arrive in parts.
package struct SHA256 {
    private var hash = CryptoKit.SHA256()

    package init() {}

    /// Adds bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: bytes)
    }

    /// The 32 bytes of the checksum of all bytes so far.
    func digest() -> [UInt8] {
        Array(hash.finalize())
    }
}
#else
import CSHA256

/// Computes the checksum of bytes that arrive in parts, by FIPS 180-4.
package struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    private static let blockSize = 64

    package init() {}

    /// Adds bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = bytes.prefix(Self.blockSize - rest.count)
            rest.append(contentsOf: missing)
            bytes = bytes[missing.endIndex...]
            if rest.count < Self.blockSize { return }
            compress(rest)
            rest.removeAll(keepingCapacity: true)
        }
        let blocks = bytes.prefix(bytes.count / Self.blockSize * Self.blockSize)
        if !blocks.isEmpty { compress(UnsafeRawBufferPointer(rebasing: blocks)) }
        rest.append(contentsOf: bytes[blocks.endIndex...])
    }

    /// The 32 bytes of the checksum of all bytes so far.
    func digest() -> [UInt8] {
        var padded = self
        let zeros = (Self.blockSize * 2 - 9 - rest.count) % Self.blockSize
        padded.rest.append(0x80)
        padded.rest.append(contentsOf: repeatElement(0, count: zeros))
        Swift.withUnsafeBytes(of: (count &* 8).bigEndian) { padded.rest.append(contentsOf: $0) }
        padded.compress(padded.rest)
        return padded.state.map { $0.bigEndian }.withUnsafeBytes(Array.init)
    }

    /// Processes whole blocks.
    private mutating func compress(_ blocks: some ContiguousBytes) {
        blocks.withUnsafeBytes { blocks in
            guard let start = blocks.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
            cabinet_sha256_compress(&state, start, blocks.count / Self.blockSize)
        }
    }
}
#endif

extension SHA256 {
    /// Adds bytes.
    package mutating func update(_ data: Data) {
        data.withUnsafeBytes { update($0) }
    }

    /// The checksum of all bytes so far.
    package var checksum: Asset.Checksum { Asset.Checksum(digest: digest()) }
}

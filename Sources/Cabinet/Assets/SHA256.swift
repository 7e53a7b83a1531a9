import Foundation

#if canImport(CryptoKit)
import CryptoKit

/// Computes the checksum of bytes that come some at a time.
struct SHA256 {
    private var hash = CryptoKit.SHA256()

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
/// Computes the checksum of bytes that come some at a time, as FIPS 180-4 says.
struct SHA256 {
    private var state: State = (
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    private typealias State = (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)
    private static let blockSize = 64

    /// Adds bytes.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = bytes.prefix(Self.blockSize - rest.count)
            rest.append(contentsOf: missing)
            bytes = bytes[missing.endIndex...]
            if rest.count < Self.blockSize { return }
            rest.withUnsafeBytes { Self.compress($0, into: &state) }
            rest.removeAll(keepingCapacity: true)
        }
        let end = bytes.startIndex + bytes.count / Self.blockSize * Self.blockSize
        Self.compress(UnsafeRawBufferPointer(rebasing: bytes[..<end]), into: &state)
        rest.append(contentsOf: bytes[end...])
    }

    /// The 32 bytes of the checksum of all bytes so far.
    func digest() -> [UInt8] {
        var padded = self
        let length = count &* 8
        let zeros = (Self.blockSize * 2 - 9 - rest.count) % Self.blockSize
        let padding =
            [0x80] + [UInt8](repeating: 0, count: zeros)
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
        padding.withUnsafeBytes { padded.update($0) }
        let (a, b, c, d, e, f, g, h) = padded.state
        return [a, b, c, d, e, f, g, h].flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    /// Takes in whole blocks.
    private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout State) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { w in
            roundConstants.withUnsafeBufferPointer { k in
                for start in stride(from: 0, to: blocks.count, by: blockSize) {
                    for index in 0..<16 {
                        w[index] = UInt32(
                            bigEndian: blocks.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self))
                    }
                    for index in 16..<64 {
                        let (early, late) = (w[index &- 15], w[index &- 2])
                        let first = rotate(early, 7) ^ rotate(early, 18) ^ (early &>> 3)
                        let second = rotate(late, 17) ^ rotate(late, 19) ^ (late &>> 10)
                        w[index] = w[index &- 16] &+ first &+ w[index &- 7] &+ second
                    }
                    var (a, b, c, d, e, f, g, h) = state
                    for index in 0..<64 {
                        let choice = (e & f) ^ (~e & g)
                        let majority = (a & b) ^ (a & c) ^ (b & c)
                        let first =
                            h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ choice &+ k[index] &+ w[index]
                        let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ majority
                        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
                    }
                    state = (
                        state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e, state.5 &+ f,
                        state.6 &+ g,
                        state.7 &+ h
                    )
                }
            }
        }
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    private static let roundConstants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
#endif

extension SHA256 {
    /// Adds bytes.
    mutating func update(_ data: Data) {
        data.withUnsafeBytes { update($0) }
    }

    /// The checksum of all bytes so far.
    var checksum: Asset.Checksum { Asset.Checksum(digest: digest()) }
}

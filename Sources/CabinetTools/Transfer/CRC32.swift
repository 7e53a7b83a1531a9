import Foundation

/// The checksum of ZIP archives: the polynomial 0xEDB88320 of ISO 3309.
struct CRC32 {
    private var state = UInt32.max

    /// The remainders of all bytes.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    /// The checksum of the bytes so far.
    var value: UInt32 { ~state }

    mutating func update(_ bytes: Data) {
        state = Self.table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBytes { bytes in
                bytes.reduce(state) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
            }
        }
    }
}

import Foundation

/// The beginning of a ciphertext: the version of the format, the ID of the key, and the nonce.
///
/// ```text
/// 1 byte    the version, 1
/// 16 bytes  the ID of the zone's key
/// 12 bytes  the nonce
/// …         the encrypted value, and its tag of 16 bytes
/// ```
struct CiphertextHeader {
    let keyID: Data
    let nonce: Data

    static let version: UInt8 = 1
    static let keyIDSize = 16
    static let size = 1 + keyIDSize + AESGCM.nonceSize

    init(keyID: Data) {
        (self.keyID, nonce) = (keyID, Data(randomCount: AESGCM.nonceSize))
    }

    /// Reads a header; `nil` if the bytes are not a ciphertext of this version.
    init?(_ ciphertext: Data) {
        guard ciphertext.count >= Self.size + AESGCM.tagSize, ciphertext.first == Self.version else { return nil }
        let rest = ciphertext.dropFirst()
        keyID = Data(rest.prefix(Self.keyIDSize))
        nonce = Data(rest.dropFirst(Self.keyIDSize).prefix(AESGCM.nonceSize))
    }

    var bytes: Data { Data([Self.version]) + keyID + nonce }
}

extension Data {
    /// The bytes as hexadecimal digits.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Creates bytes from hexadecimal digits; `nil` if the text has others.
    init?(hexadecimal: String) {
        let digits = hexadecimal.map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        self.init(
            stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) })
    }
}

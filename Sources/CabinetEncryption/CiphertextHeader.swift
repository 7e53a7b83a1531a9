import Cabinet
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
        (self.keyID, nonce) = (keyID, Data(RandomBytes.make(AESGCM.nonceSize)))
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

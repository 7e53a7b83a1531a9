import Cabinet
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import COpenSSL
#endif

/// AES-256-GCM of NIST SP 800-38D, with nonces of 12 bytes and tags of 16.
enum AESGCM {
    static let keySize = 32
    static let nonceSize = 12
    static let tagSize = 16

    /// Encrypts a message.
    ///
    /// - Parameter data: The bytes that are authenticated with it, and are not part of the result.
    /// - Returns: The ciphertext and the tag.
    /// - Throws: ``/Cabinet/CabinetError/Code/limitExceeded`` if the message is too long.
    static func seal(_ message: Data, key: Data, nonce: Data, authenticating data: Data) throws(CabinetError) -> Data {
        guard message.count < Int32.max - 64, data.count < Int32.max, key.count == keySize, nonce.count == nonceSize
        else {
            throw CabinetError(.limitExceeded, "A value of \(message.count) bytes cannot be encrypted.")
        }
        #if canImport(CryptoKit)
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(message, using: SymmetricKey(data: key), nonce: nonce, authenticating: data)
        else { throw failure }
        return box.ciphertext + box.tag
        #else
        var (ciphertext, tag) = ([UInt8](repeating: 0, count: message.count), [UInt8](repeating: 0, count: tagSize))
        let (key, nonce, data, message) = (Array(key), Array(nonce), Array(data), Array(message))
        let isSealed = COpenSSL_gcm_seal(
            key, nonce, data, Int32(data.count), message, Int32(message.count), &ciphertext, &tag)
        guard isSealed == 1 else { throw failure }
        return Data(ciphertext + tag)
        #endif
    }

    /// Decrypts a ciphertext that is followed by its tag; `nil` if it is not what ``seal(_:key:nonce:authenticating:)`` returned for
    /// the same key, nonce and data.
    static func open(_ ciphertext: Data, key: Data, nonce: Data, authenticating data: Data) -> Data? {
        guard ciphertext.count >= tagSize, ciphertext.count < Int32.max, data.count < Int32.max, key.count == keySize,
            nonce.count == nonceSize
        else { return nil }
        #if canImport(CryptoKit)
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce, ciphertext: ciphertext.dropLast(tagSize), tag: ciphertext.suffix(tagSize))
        else { return nil }
        return try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: data)
        #else
        let (bytes, tag) = (Array(ciphertext.dropLast(tagSize)), Array(ciphertext.suffix(tagSize)))
        let (key, nonce, data) = (Array(key), Array(nonce), Array(data))
        var message = [UInt8](repeating: 0, count: bytes.count)
        let isOpened = COpenSSL_gcm_open(
            key, nonce, data, Int32(data.count), bytes, Int32(bytes.count), tag, &message)
        return isOpened == 1 ? Data(message) : nil
        #endif
    }

    private static var failure: CabinetError { CabinetError(.internalError, "The encryption has failed.") }
}

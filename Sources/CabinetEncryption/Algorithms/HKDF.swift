import Cabinet
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import COpenSSL
#endif

/// HKDF of RFC 5869 with SHA-256, for keys of 32 bytes.
enum HKDF {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: The bytes to derive it from.
    ///   - salt: Bytes that need not be secret; empty for none.
    ///   - info: The purpose of the key: other bytes give another key.
    /// - Throws: ``/Cabinet/CabinetError/Code/internalError`` if the library fails.
    static func key(from secret: Data, salt: Data = Data(), info: Data) throws(CabinetError) -> Data {
        #if canImport(CryptoKit)
        let key = CryptoKit.HKDF<CryptoKit.SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), salt: salt, info: info, outputByteCount: 32)
        return key.withUnsafeBytes { Data($0) }
        #else
        let extracted = try code(of: secret, key: salt.isEmpty ? Data(count: 32) : salt)
        return try code(of: info + [1], key: extracted)
        #endif
    }

    #if !canImport(CryptoKit)
    private static func code(of message: Data, key: Data) throws(CabinetError) -> Data {
        var code = [UInt8](repeating: 0, count: 32)
        let (key, message) = (Array(key), Array(message))
        guard key.count < Int32.max, COpenSSL_hmac(key, Int32(key.count), message, message.count, &code) == 1 else {
            throw CabinetError(.internalError, "A key cannot be derived.")
        }
        return Data(code)
    }
    #endif
}

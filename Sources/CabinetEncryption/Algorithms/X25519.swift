import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import COpenSSL
#endif

/// The key agreement X25519 of RFC 7748, with keys of 32 bytes.
enum X25519 {
    static let keySize = 32

    /// Returns the public key of a secret key; `nil` if the bytes are not a key.
    static func publicKey(of secretKey: Data) -> Data? {
        guard secretKey.count == keySize else { return nil }
        #if canImport(CryptoKit)
        return try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secretKey).publicKey.rawRepresentation
        #else
        var publicKey = [UInt8](repeating: 0, count: keySize)
        return COpenSSL_x25519_public(Array(secretKey), &publicKey) == 1 ? Data(publicKey) : nil
        #endif
    }

    /// Returns the secret that a key shares with another user's; `nil` if the bytes are not keys, or the public one shares the same
    /// secret with everyone.
    static func sharedSecret(of secretKey: Data, with publicKey: Data) -> Data? {
        guard secretKey.count == keySize, publicKey.count == keySize else { return nil }
        #if canImport(CryptoKit)
        guard let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secretKey),
            let other = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey)
        else { return nil }
        return try? own.sharedSecretFromKeyAgreement(with: other).withUnsafeBytes { Data($0) }
        #else
        var shared = [UInt8](repeating: 0, count: keySize)
        return COpenSSL_x25519_shared(Array(secretKey), Array(publicKey), &shared) == 1 ? Data(shared) : nil
        #endif
    }
}

import Foundation

#if canImport(CryptoKit)
import CryptoKit
import Security
#else
import COpenSSL
#endif

/// The public key of an identity provider.
enum PublicKey: Sendable, Hashable {
    /// A point on the curve P-256: its coordinates of 32 bytes each.
    case p256(x: [UInt8], y: [UInt8])
    /// A modulus of 2,048 to 8,192 bits, and an exponent, without zeros before them.
    case rsa(modulus: [UInt8], exponent: [UInt8])

    /// The one algorithm of the key, so that no token chooses another.
    var algorithm: String {
        switch self {
        case .p256: "ES256"
        case .rsa: "RS256"
        }
    }

    /// Whether the key can be used: its point is on the curve, or its numbers have the allowed sizes.
    var isValid: Bool {
        #if canImport(CryptoKit)
        switch self {
        case .p256: curveKey != nil
        case .rsa(let modulus, _): Self.moduli.contains(modulus.count) && securityKey != nil
        }
        #else
        if case .rsa(let modulus, _) = self, !Self.moduli.contains(modulus.count) { return false }
        guard let key else { return false }
        defer { EVP_PKEY_free(key) }
        return COpenSSL_is_valid(key) == 1
        #endif
    }

    /// The allowed numbers of bytes of a modulus; a smaller one can be factored, and a larger one is slow.
    private static let moduli = 256...1024

    /// Returns whether a signature, in the form of JSON Web Signature, is that of a message.
    func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        #if canImport(CryptoKit)
        switch self {
        case .p256:
            guard let key = curveKey,
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case .rsa:
            guard let key = securityKey else { return false }
            return SecKeyVerifySignature(
                key, .rsaSignatureMessagePKCS1v15SHA256, Data(message) as CFData, Data(signature) as CFData, nil)
        }
        #else
        var bytes = signature
        if case .p256 = self {
            guard let signature = ECDSASignature(raw: signature) else { return false }
            bytes = signature.der
        }
        guard let key else { return false }
        defer { EVP_PKEY_free(key) }
        return COpenSSL_verify(key, message, message.count, bytes, bytes.count) == 1
        #endif
    }

    #if canImport(CryptoKit)
    private var curveKey: P256.Signing.PublicKey? {
        guard case .p256(let x, let y) = self else { return nil }
        return try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
    }

    private var securityKey: SecKey? {
        guard case .rsa(let modulus, let exponent) = self else { return nil }
        let bytes = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
        let attributes = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic]
        return SecKeyCreateWithData(Data(bytes) as CFData, attributes as CFDictionary, nil)
    }
    #else
    /// The key of OpenSSL, to be freed; `nil` if it is not valid.
    private var key: OpaquePointer? {
        let bytes =
            switch self {
            case .p256(let x, let y): DER.publicKey(DER.p256, [4] + x + y)
            case .rsa(let modulus, let exponent):
                DER.publicKey(DER.rsa, DER.sequence(DER.integer(modulus) + DER.integer(exponent)))
            }
        return COpenSSL_public_key_der(bytes, bytes.count)
    }
    #endif
}

import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import COpenSSL
#endif

/// A signature of ECDSA on P-256, in DER.
struct ECDSASignature {
    /// The bytes in DER.
    let der: [UInt8]
    /// The first of the two numbers, which the other valid signature of the same text shares.
    let r: [UInt8]

    /// Reads a signature; `nil` unless it is exactly two positive numbers in DER, in the shortest form.
    init?(der: [UInt8]) {
        self.der = der
        var rest = der[...]
        guard let body = Self.content(of: 0x30, from: &rest), rest.isEmpty else { return nil }
        var numbers = body
        guard let r = Self.content(of: 0x02, from: &numbers), let s = Self.content(of: 0x02, from: &numbers),
            numbers.isEmpty, Self.isPositive(r), Self.isPositive(s)
        else { return nil }
        self.r = Array(r.drop { $0 == 0 })
    }

    /// Reads a signature of two numbers of 32 bytes, as JSON Web Signature has it; `nil` for another length and for zeros.
    init?(raw: [UInt8]) {
        guard raw.count == 64 else { return nil }
        self.init(der: DER.sequence(DER.integer(raw.prefix(32)) + DER.integer(raw.suffix(32))))
    }

    /// Removes a value from the beginning of bytes; its length is less than 128, as that of each part of a signature on P-256.
    private static func content(of tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let length = bytes.popFirst(), length < 0x80, bytes.count >= length else {
            return nil
        }
        defer { bytes = bytes.dropFirst(Int(length)) }
        return bytes.prefix(Int(length))
    }

    private static func isPositive(_ number: ArraySlice<UInt8>) -> Bool {
        guard let first = number.first, first < 0x80, number.count <= 33 else { return false }
        // A zero at the beginning stands only before a byte that would make the number negative.
        if first == 0 { return number.dropFirst().first.map { $0 >= 0x80 } ?? false }
        return true
    }

    /// Returns whether the signature is that of a message by a key in PEM.
    func isValid(for message: [UInt8], by pem: String) -> Bool {
        #if canImport(CryptoKit)
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
        else { return false }
        return key.isValidSignature(signature, for: message)
        #else
        guard let key = Self.key(pem) else { return false }
        defer { EVP_PKEY_free(key) }
        return COpenSSL_verify(key, message, message.count, der, der.count) == 1
        #endif
    }

    /// Returns whether a text is a public key on P-256 in PEM.
    static func isPublicKey(_ pem: String) -> Bool {
        #if canImport(CryptoKit)
        return (try? P256.Signing.PublicKey(pemRepresentation: pem)) != nil
        #else
        guard let key = key(pem) else { return false }
        EVP_PKEY_free(key)
        return true
        #endif
    }

    #if !canImport(CryptoKit)
    private static func key(_ pem: String) -> OpaquePointer? {
        let bytes = Array(pem.utf8)
        guard bytes.count < 4_096 else { return nil }
        return COpenSSL_public_key(bytes, Int32(bytes.count))
    }
    #endif
}

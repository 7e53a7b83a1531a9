import Cabinet
import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import COpenSSL
#endif

/// Signs requests with the private key of a server.
struct ServerKeySigner: Sendable {
    let keyID: String
    private let pem: String

    /// Creates a signer.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the text is not a private key on P-256 without a password.
    init(keyID: String, pem: String) throws(CabinetError) {
        (self.keyID, self.pem) = (keyID, pem)
        guard signature(of: "") != nil, keyID.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw CabinetError(
                .invalidArguments,
                "The private key is not one of ECDSA on P-256 in PEM, or has a password. Make one: openssl ecparam -name prime256v1 -genkey -noout"
            )
        }
    }

    /// Returns the header fields that sign a request.
    ///
    /// - Parameters:
    ///   - path: The path as it is sent, without a query.
    ///   - body: The body.
    ///   - date: The date, which is within ten minutes of the server's.
    func fields(path: String, body: Data, date: Date) throws(CabinetError) -> [(name: String, value: String)] {
        let date = date.formatted(.iso8601)
        let hash = body.isEmpty ? "" : Data(Asset.Checksum(of: body).bytes).base64EncodedString()
        guard let signature = signature(of: "\(date):\(hash):\(path)") else {
            throw CabinetError(.internalError, "The request cannot be signed.")
        }
        return [
            ("X-Apple-CloudKit-Request-KeyID", keyID), ("X-Apple-CloudKit-Request-ISO8601Date", date),
            ("X-Apple-CloudKit-Request-SignatureV1", signature.base64EncodedString()),
        ]
    }

    /// Returns the signature of a text in DER.
    private func signature(of text: String) -> Data? {
        let message = Array(text.utf8)
        #if canImport(CryptoKit)
        return try? P256.Signing.PrivateKey(pemRepresentation: pem).signature(for: message).derRepresentation
        #else
        let bytes = Array(pem.utf8)
        guard bytes.count < 65_536, let key = COpenSSL_private_key(bytes, Int32(bytes.count)) else { return nil }
        defer { EVP_PKEY_free(key) }
        var signature = [UInt8](repeating: 0, count: 256)
        let length = COpenSSL_sign(key, message, message.count, &signature, signature.count)
        return length == 0 ? nil : Data(signature.prefix(length))
        #endif
    }
}

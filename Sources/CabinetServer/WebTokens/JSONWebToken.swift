import Cabinet
import CabinetWire
import Foundation

/// A JSON Web Token that is signed (RFC 7519), before anything in it was verified.
struct JSONWebToken {
    /// The algorithm that the token claims.
    let algorithm: String
    /// The ID of the key that the token claims.
    let keyID: String?
    /// The claims, an object.
    let claims: JSONNode
    /// The bytes that are signed: the text before the signature.
    let message: [UInt8]
    let signature: [UInt8]

    /// The largest number of bytes of a token.
    static let maximumLength = 16_384

    /// Whether a text has the form of a token: three parts between dots.
    static func has(form text: String) -> Bool {
        text.utf8.lazy.filter { $0 == UInt8(ascii: ".") }.count == 2
    }

    /// Reads a token; `nil` unless it is well-formed, and has no extension that must be understood.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maximumLength else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = URLBase64.decodeStrictly(String(parts[2])), !header.has("crit"), !header.has("b64")
        else { return nil }
        do {
            if let type = try header["typ"]?.string().lowercased(), type != "jwt", type != "at+jwt" { return nil }
            algorithm = try header.required("alg").string()
            keyID = try header["kid"]?.string()
        } catch {
            return nil
        }
        self.claims = claims
        self.signature = signature
        message = Array(parts[0].utf8) + [UInt8(ascii: ".")] + Array(parts[1].utf8)
    }

    private static func object(_ part: Substring) -> JSONNode? {
        guard let bytes = URLBase64.decodeStrictly(String(part)), let node = try? JSONText(bytes).root else {
            return nil
        }
        return try? node.object()
    }
}

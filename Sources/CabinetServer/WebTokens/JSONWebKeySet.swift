import Cabinet
import CabinetWire
public import Foundation

/// The public keys of an identity provider, as it publishes them: a JSON Web Key Set (RFC 7517).
///
/// Keys for ES256 on P-256 and for RS256 with at least 2,048 bits are read. Keys of other kinds, and those that are not for
/// signatures, are passed over.
public struct JSONWebKeySet: Sendable {
    /// The keys by their IDs; a set of one key may lack the ID.
    private let keys: [String?: PublicKey]

    /// The largest number of keys of a set.
    public static let maximumKeyCount = 100

    /// Reads a set.
    ///
    /// - Parameter json: The text, such as the contents of the provider's `jwks.json`.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the text is not a key set, if a key is malformed or weak, if two keys
    ///   have the same ID, or if no key is usable; ``/Cabinet/CabinetError/Code/limitExceeded`` for more than ``maximumKeyCount`` keys.
    public init(_ json: Data) throws {
        let nodes = try JSONText(Array(json)).root.required("keys")
        guard nodes.count <= Self.maximumKeyCount else {
            throw CabinetError(.limitExceeded, "A key set has at most \(Self.maximumKeyCount) keys.")
        }
        var keys: [String?: PublicKey] = [:]
        for node in try nodes.array({ node throws(CabinetError) in try node.object() }) {
            guard let key = try PublicKey(node) else { continue }
            let id = try node["kid"]?.string()
            guard key.isValid else {
                throw node.error(expected: "a point on P-256, or an RSA key of 2048 to 8192 bits")
            }
            guard keys.updateValue(key, forKey: id) == nil else {
                throw node.error(expected: "a key with an ID ('kid') of its own")
            }
        }
        guard !keys.isEmpty else {
            throw CabinetError(.invalidArguments, "The key set has no key for ES256 on P-256 or RS256.")
        }
        self.keys = keys
    }

    /// Returns the key that a token names; without a name, the key of a set of one.
    func key(_ id: String?) -> PublicKey? {
        guard let id else { return keys.count == 1 ? keys.values.first : nil }
        return keys[id]
    }
}

extension PublicKey {
    /// Reads a JSON Web Key; `nil` for a key of another kind or another purpose.
    fileprivate init?(_ node: JSONNode) throws(CabinetError) {
        if let use = try node["use"]?.string(), use != "sig" { return nil }
        if let operations = try node["key_ops"]?.strings(), !operations.contains("verify") { return nil }
        func bytes(_ key: StaticString) throws(CabinetError) -> [UInt8] {
            let member = try node.required(key)
            guard let bytes = URLBase64.decodeStrictly(try member.string()) else {
                throw member.error(expected: "a number in Base64 for URLs")
            }
            return bytes
        }
        switch try node.required("kty").string() {
        case "EC":
            guard try node.required("crv").string() == "P-256" else { return nil }
            self = .p256(x: try bytes("x"), y: try bytes("y"))
        case "RSA":
            self = .rsa(modulus: Array(try bytes("n").drop { $0 == 0 }), exponent: try bytes("e"))
        default: return nil
        }
        if let name = try node["alg"]?.string(), name != algorithm { return nil }
    }
}

import Cabinet
import CabinetWire
public import Foundation

/// A secret key by which a server recognizes the texts that it has given to clients, such as sync tokens and URLs.
///
/// All servers of one store have the same secret, so that each recognizes the texts of the others.
public struct ServerSecret: Sendable {
    private let inner: [UInt8]
    private let outer: [UInt8]

    /// The number of bytes of a mark.
    private static let markLength = 16

    /// Creates a secret from bytes.
    ///
    /// - Parameter bytes: The bytes; at least 32 random ones.
    /// - Throws: ``HTTPError`` with the status 500 if there are fewer than 32.
    public init(_ bytes: Data) throws {
        guard bytes.count >= 32 else {
            throw HTTPError(.internalServerError, "The server's secret is too short. Use 32 random bytes.")
        }
        // HMAC, by FIPS 198-1: the key is filled up to a block of SHA-256.
        let key = bytes.count > 64 ? Self.hash(Array(bytes)) : Array(bytes)
        self.init(key: key + [UInt8](repeating: 0, count: 64 - key.count))
    }

    /// A new secret, which no other server and no later process has.
    public static func random() -> ServerSecret {
        ServerSecret(key: RandomBytes.make(64))
    }

    /// Creates a secret from a key of 64 bytes.
    private init(key: [UInt8]) {
        inner = key.map { $0 ^ 0x36 }
        outer = key.map { $0 ^ 0x5C }
    }

    /// Returns the secret of a container, from which neither this one nor that of another container can be computed (HMAC).
    func derived(for container: WireContainer) -> ServerSecret {
        let key = code(of: ["container", container.identifier, container.environment.rawValue])
        return ServerSecret(key: key + [UInt8](repeating: 0, count: 64 - key.count))
    }

    /// Returns the text with a mark that only a holder of the secret can compute, in letters, digits, `-` and `_`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - context: The purpose of the text, such as its user, which must be equal when the text is opened.
    func seal(_ text: String, for context: [String]) -> String { URLBase64.encode(sealed(text, for: context)) }

    /// Returns the bytes of the text with such a mark.
    func sealed(_ text: String, for context: [String]) -> [UInt8] { mark(of: text, context) + Array(text.utf8) }

    /// Returns the text that was sealed, in either alphabet of Base64, or `nil` if another secret or context has sealed it.
    func open(_ sealed: String, for context: [String]) -> String? {
        guard let bytes = URLBase64.decode(sealed), bytes.count >= Self.markLength,
            let text = String(validating: bytes[Self.markLength...], as: UTF8.self),
            ConstantTime.areEqual(Array(bytes[..<Self.markLength]), mark(of: text, context))
        else { return nil }
        return text
    }

    /// Returns the token that follows another, which only a holder of both the secret and the other can compute.
    func token(after token: String) -> String { URLBase64.encode(code(of: ["web token", token])) }

    private func mark(of text: String, _ context: [String]) -> [UInt8] {
        Array(code(of: context + [text]).prefix(Self.markLength))
    }

    /// Returns the code of a list of texts (HMAC).
    private func code(of parts: [String]) -> [UInt8] {
        var message: [UInt8] = []
        for part in parts {
            // Each part has its length before it, so that no two lists of parts have the same bytes.
            withUnsafeBytes(of: UInt64(part.utf8.count).bigEndian) { message += $0 }
            message += Array(part.utf8)
        }
        return Self.hash(outer + Self.hash(inner + message))
    }

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Asset.Checksum(of: Data(bytes)).bytes }
}

/// Comparisons whose time does not depend on the bytes.
enum ConstantTime {
    /// Returns whether two byte strings are equal; the time depends on their lengths alone.
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for position in left.indices { difference |= left[position] ^ right[position] }
        return difference == 0
    }
}

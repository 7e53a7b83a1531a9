import Foundation

/// The key of an entry: a text of printable ASCII characters.
///
/// Keys are ordered by their bytes. A key has at most ``maximumLength`` bytes, so that a store can put it in an index.
public struct StorageKey: Sendable, Hashable, Codable {
    /// The maximum number of bytes of a key.
    public static let maximumLength = 2_400

    /// The text of the key.
    public let text: String

    /// Creates a key from its text, as a store has kept it.
    ///
    /// - Parameter text: The text of a key, in printable ASCII characters.
    public init(_ text: String) {
        self.text = text
    }

    /// Creates a key from names.
    ///
    /// Names are joined by `/`. Within a name, `/`, `%` and all characters but printable ASCII are percent-encoded. So different
    /// names give different keys, and keys with the same first names are adjacent.
    ///
    /// - Parameter names: The names, the kind of the entry first.
    package init(_ names: String...) {
        var text = ""
        for position in names.indices {
            if position > 0 { text += "/" }
            text += Self.escaped(names[position])
        }
        self.init(text)
    }

    /// Returns the key with one more name.
    func appending(_ name: String) -> StorageKey { StorageKey(text + "/" + Self.escaped(name)) }
}

extension StorageKey {
    /// The names that the key was created from.
    var names: [String] {
        text.split(separator: "/", omittingEmptySubsequences: false).map { name in
            // Few names have encoded characters, and decoding takes much longer than this search.
            name.utf8.contains(UInt8(ascii: "%")) ? name.removingPercentEncoding ?? String(name) : String(name)
        }
    }

    /// Returns the range of the keys that begin with the given names and have more names.
    package static func all(_ names: String...) -> Range<StorageKey> {
        let start = names.map(escaped).joined(separator: "/")
        // "0" is the character after "/".
        return StorageKey(start + "/")..<StorageKey(start + "0")
    }

    /// Returns a number as a name, so that names have the order of their numbers.
    ///
    /// - Parameter number: The number; not negative.
    static func name(_ number: Int64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(19 - digits.utf8.count, 0)) + digits
    }

    private static func escaped(_ name: String) -> String {
        func isPlain(_ byte: UInt8) -> Bool {
            (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "%")
        }
        if name.utf8.allSatisfy(isPlain) { return name }
        var escaped = ""
        for byte in name.utf8 {
            if isPlain(byte) {
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                escaped += "%" + withUnsafeBytes(of: byte, \.hexadecimal).uppercased()
            }
        }
        return escaped
    }
}

extension StorageKey: Comparable {
    /// Returns whether a key precedes another in the order of bytes.
    ///
    /// - Parameters:
    ///   - left: A key.
    ///   - right: Another key.
    /// - Returns: Whether `left` precedes `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension StorageKey: CustomStringConvertible {
    /// The text of the key.
    public var description: String { text }
}

/// A text that the core stores under a key.
public struct StorageEntry: Sendable, Hashable, Codable {
    /// The key.
    public let key: StorageKey

    /// The text, of any length, with any characters but NUL.
    public let text: String

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - text: The text, of any length, with any characters but NUL.
    public init(key: StorageKey, text: String) {
        self.key = key
        self.text = text
    }
}

extension StorageEntry {
    /// Returns whether two entries have the same key, and texts with the same scalars.
    public static func == (left: Self, right: Self) -> Bool {
        left.key == right.key && left.text.hasSameScalars(as: right.text)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        text.hashScalars(into: &hasher)
    }
}

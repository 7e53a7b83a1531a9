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

import Cabinet

/// The entries that a write transaction has read or set.
///
/// A commit contains several writes, each of which sets the same few entries. They are written once, before the commit.
struct EntryCache {
    private var texts: [StorageKey: String?] = [:]
    private(set) var unsaved: Set<StorageKey> = []

    /// The largest number of cached entries.
    static let limit = 256

    /// The number of cached entries.
    var count: Int { texts.count }

    /// Whether the cache has exceeded its limit.
    var isFull: Bool { count > Self.limit }

    /// The text of an entry; `.some(nil)` if it does not exist, `nil` if it is not cached.
    subscript(key: StorageKey) -> String?? { texts[key] }

    /// Caches an entry of the table.
    mutating func remember(_ text: String?, for key: StorageKey) {
        if !isFull { texts.updateValue(text, forKey: key) }
    }

    /// Sets an entry that is not in the table yet.
    mutating func set(_ text: String?, for key: StorageKey) {
        texts.updateValue(text, forKey: key)
        unsaved.insert(key)
    }

    /// Marks all entries as written.
    mutating func markSaved() {
        unsaved = []
        if isFull { texts = [:] }
    }
}

import Cabinet

/// The entries that a write transaction has read or set.
///
/// A commit stores several writes, each of which sets the same few entries: they are written once, before the commit.
struct EntryCache {
    private var texts: [StorageKey: String?] = [:]
    private(set) var unsaved: Set<StorageKey> = []

    /// The most entries to keep.
    static let limit = 256

    /// The number of entries that are kept.
    var count: Int { texts.count }

    /// Whether more entries are kept than should be.
    var isFull: Bool { count > Self.limit }

    /// The text of an entry, or `.some(nil)` if none is stored; `nil` if that is not known.
    subscript(key: StorageKey) -> String?? { texts[key] }

    /// Keeps what the table has under a key.
    mutating func remember(_ text: String?, for key: StorageKey) {
        if !isFull { texts.updateValue(text, forKey: key) }
    }

    /// Sets an entry, which the table does not have yet.
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

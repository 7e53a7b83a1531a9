package import Cabinet

/// The entries that writes have read or set, as the database has them while no other process writes.
package struct KnownEntries: Sendable {
    private var texts: [StorageKey: String?] = [:]
    private var ranges: [Range<StorageKey>: [StorageEntry]] = [:]
    /// The size of the texts, in bytes of UTF-8.
    private var size = 0

    /// The limit of known entries and ranges.
    package static let countLimit = 64
    /// The limit of their texts together, in bytes of UTF-8.
    package static let sizeLimit = 16 << 10

    package init() {}

    /// The number of known entries and ranges.
    package var count: Int { texts.count + ranges.count }

    /// The text of an entry; `.some(nil)` if it does not exist, `nil` if it is not known.
    package subscript(key: StorageKey) -> String?? { texts[key] }

    /// The entries in a range; `nil` if they are not known.
    package subscript(range: Range<StorageKey>) -> [StorageEntry]? { ranges[range] }

    /// Sets the text of an entry; `nil` if it does not exist.
    package mutating func set(_ text: String?, for key: StorageKey) {
        let old = texts.updateValue(text, forKey: key)
        size += (text?.utf8.count ?? 0) - (old??.utf8.count ?? 0)
        for range in ranges.keys where range.contains(key) { removeRange(range) }
        limitSize()
    }

    /// Sets all entries of a range.
    package mutating func set(_ entries: [StorageEntry], in range: Range<StorageKey>) {
        removeRange(range)
        size += Self.size(of: entries)
        ranges[range] = entries
        limitSize()
    }

    /// Forgets the entries between two keys, both included, and the ranges that have some of them.
    package mutating func forget(from first: StorageKey, through last: StorageKey) {
        for (key, text) in texts where key >= first && key <= last {
            texts[key] = nil
            size -= text?.utf8.count ?? 0
        }
        for range in ranges.keys where range.lowerBound <= last && range.upperBound > first { removeRange(range) }
    }

    private mutating func removeRange(_ range: Range<StorageKey>) {
        if let old = ranges.removeValue(forKey: range) { size -= Self.size(of: old) }
    }

    /// Forgets everything if it is too much: the next request reads what it needs.
    private mutating func limitSize() {
        if count > Self.countLimit || size > Self.sizeLimit { self = KnownEntries() }
    }

    private static func size(of entries: [StorageEntry]) -> Int { entries.reduce(0) { $0 + $1.text.utf8.count } }
}

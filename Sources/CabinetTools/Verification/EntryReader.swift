import Cabinet
import Foundation

/// Reads the core's bookkeeping of one kind, some entries at a time.
struct EntryReader {
    /// Some entries, in the order of their keys.
    struct Page {
        var entries: [BookkeepingEntry] = []
        /// Entries that cannot be decoded, with the reasons.
        var damaged: [Damaged] = []
    }

    /// An entry that cannot be decoded.
    struct Damaged {
        let key: StorageKey
        let text: String
        let reason: String

        /// Whether the entry is not a notification at all, of any number.
        var isMalformedNotification: Bool {
            (try? JSONDecoder().decode(StoredNotification.self, from: Data(text.utf8))) == nil
        }
    }

    let kind: BookkeepingEntry.Kind
    private let snapshot: any StorageSnapshot
    private var rest: Range<StorageKey>

    private static let pageSize = 500

    init(_ kind: BookkeepingEntry.Kind, in snapshot: any StorageSnapshot) {
        self.kind = kind
        self.snapshot = snapshot
        rest = kind.keys
    }

    /// Reads the next page; `nil` after the last one.
    mutating func next() async throws -> Page? {
        if rest.isEmpty { return nil }
        let found = try await snapshot.entries(in: rest, limit: Self.pageSize)
        guard let last = found.last else { return nil }
        // The space is the lowest character that a key can have, so this is the first key after the last one.
        let next = max(StorageKey(last.key.text + " "), rest.lowerBound)
        rest = min(next, rest.upperBound)..<rest.upperBound
        if found.count < Self.pageSize { rest = rest.upperBound..<rest.upperBound }
        var page = Page()
        for entry in found {
            do {
                page.entries.append(try BookkeepingEntry(entry, as: kind))
            } catch {
                page.damaged.append(Damaged(key: entry.key, text: entry.text, reason: error.sentence))
            }
        }
        return page
    }
}

extension StorageSnapshot {
    /// Passes all entries of a kind to a closure, page by page.
    func forEachEntryPage(
        of kind: BookkeepingEntry.Kind, _ body: (EntryReader.Page) async throws -> Void
    ) async throws {
        var reader = EntryReader(kind, in: self)
        while let page = try await reader.next() { try await body(page) }
    }
}

package import Cabinet

/// The changes of a zone in their order, deletions among them.
///
/// A page of changes has its deletions apart. A page with both kinds is therefore read again in smaller parts, until each has one kind.
package struct OrderedChanges: Sendable {
    /// A change of a record.
    package enum Change: Sendable {
        case saved(Record)
        case deleted(RecordZoneChange.Deletion)
    }

    /// The changes, the oldest first.
    package private(set) var changes: [Change] = []
    /// The token of the last change; `nil` if there are no pages.
    package private(set) var token: ServerChangeToken?
    /// Whether further changes exist.
    package private(set) var moreComing = false

    /// The number of pages that are read at most; then the order within a page stays unknown.
    private static let maximumPages = 100

    /// Reads changes, without the fields of records.
    package init(
        _ database: Database, inZoneWith zoneID: RecordZone.ID, since token: ServerChangeToken?, limit: Int
    ) async throws {
        self.token = token
        var (size, pages) = (limit, 0)
        // Without a token, a page has no deletions: it is read up to the first record.
        while changes.count < limit {
            let sequence = database.recordZoneChangeSequence(
                inZoneWith: zoneID, since: self.token, desiredKeys: [],
                pageSize: self.token == nil ? 1 : min(size, limit - changes.count))
            var iterator = sequence.makeAsyncIterator()
            guard let page = try await iterator.next() else { break }
            pages += 1
            if !page.modifications.isEmpty, !page.deletions.isEmpty, size > 1, pages < Self.maximumPages {
                size = max(1, min(size, page.modifications.count + page.deletions.count) / 2)
                continue
            }
            changes += page.modifications.map { .saved($0.record) } + page.deletions.map { .deleted($0) }
            (self.token, moreComing) = (page.changeToken, page.moreComing)
            if !moreComing { break }
            size = min(size * 2, limit)
        }
    }

    /// The number of pages with which the last changes are read at most; a zone that has more of them from its start is of a server
    /// whose tokens have no order.
    private static let lastPages = 4

    /// Reads the last changes of a zone, with the deletions that it remembers.
    package init(_ database: Database, inZoneWith zoneID: RecordZone.ID, last limit: Int) async throws {
        token = try await database.startOfLastChanges(inZoneWith: zoneID, limit: limit)
        for _ in 0..<Self.lastPages {
            let page = try await Self(database, inZoneWith: zoneID, since: token, limit: limit)
            changes = (changes + page.changes).suffix(limit)
            (token, moreComing) = (page.token, page.moreComing)
            if !moreComing { break }
        }
    }
}

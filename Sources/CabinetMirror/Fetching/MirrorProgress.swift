import Cabinet
import Synchronization

/// The number of changes that a fetch has applied, and of those that a first fetch brings.
///
/// The changes since a token cannot be counted without reading them. The records of a zone that is fetched as a whole can, by an
/// aggregate of each record type, which is asked for once, and only if the first page is not all.
final class MirrorProgress: Sendable {
    private struct Content {
        var count = 0
        var total: Int?
        var isCounted = false
        var countedTypes: Set<Record.RecordType> = []
    }

    private let content = Mutex(Content())

    /// The maximum number of requests to count records.
    private static let requestLimit = 50

    /// Adds changes that were applied.
    func add(_ changes: Int) { content.withLock { $0.count += changes } }

    /// Shows the progress as the status of a database.
    func show(in context: MirrorContext) {
        let (count, total) = content.withLock { ($0.count, $0.total) }
        context.state.fetched(count, of: total, in: context.scope)
    }

    /// Asks the server once for the number of records to fetch.
    ///
    /// - Parameters:
    ///   - zones: The zone of which a page was applied, with its state before, and the next ones to fetch.
    ///   - page: The page, the first one of this fetch.
    ///   - context: The database.
    func expect(
        _ zones: [MirrorZone], after page: FetchZoneChangesRequest.Response, _ context: MirrorContext
    ) async {
        let isFirst = content.withLock { content in
            defer { content.isCounted = true }
            return !content.isCounted
        }
        guard isFirst else { return }
        let whole = zones.filter { $0.position == nil || $0.rebuildStart != nil }
        // A server that does not count, such as CloudKit, leaves the total unknown.
        guard let total = try? await Self.count(in: whole.map(\.zoneID), context) else { return }
        content.withLock { content in
            let others = content.count - page.records.count { !$0.isOfStore }
            // A fetch that was interrupted has brought some before.
            content.count += whole.reduce(0) { $0 + Int($1.position == nil ? 0 : $1.fetchedCount) }
            content.total = others + total
        }
    }

    private static func count(in zoneIDs: [RecordZone.ID], _ context: MirrorContext) async throws -> Int? {
        let database = context.remote.database(with: context.scope)
        let types = try await database.schema().recordTypes.keys.filter { !Record(recordType: $0).isOfStore }
        if types.count * zoneIDs.count > requestLimit { return nil }
        var count = 0
        for zoneID in zoneIDs {
            for type in types {
                count += try await database.count(matching: Query(recordType: type), inZoneWith: zoneID)
            }
        }
        return count
    }

    /// Asks the server for the number of records of the public database that a query returns.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - page: Its first page, which was applied.
    ///   - context: The database.
    func expect(_ query: Query, after page: QueryRecordsRequest.Response, _ context: MirrorContext) async {
        let isFirst = content.withLock { $0.countedTypes.insert(query.recordType).inserted }
        guard isFirst, let total = try? await context.remote.publicDatabase.count(matching: query) else { return }
        content.withLock { $0.total = $0.count - page.records.count + total }
    }
}

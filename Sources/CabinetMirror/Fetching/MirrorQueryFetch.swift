import Cabinet
import Foundation

/// One fetch of the public database, by queries, because CloudKit has no change tokens for it.
///
/// The first query of a record type asks for the records that match. Later ones ask for all records of the type that have changed, and the
/// filter is applied here: a record that no longer matches must be found too. Queries find no deletions. A server of Cabinet stores
/// notifications about them; otherwise, the mirror asks for each local record after some time.
struct MirrorQueryFetch {
    let context: MirrorContext

    private var store: MirrorStore { context.store }
    private var selection: MirrorSelection { context.configuration.selection }

    /// The time before the newest record from which a query begins, in seconds, because an index may be behind the records.
    private static let overlap: TimeInterval = 60

    init(_ context: MirrorContext) {
        self.context = context
    }

    /// Fetches until nothing is left.
    func run() async throws {
        var queries = try await store.queries()
        try await select(&queries)
        let deletions = MirrorDeletionFetch(context)
        // Notifications about what is deleted from here on are read the next time.
        let found = try await deletions.fetch(&queries)
        if !found.isComplete { queries.checked = nil }
        try await check(found.ids)
        try await keep(queries)
        let progress = MirrorProgress()
        for position in queries.queries.indices { try await fetch(position, of: &queries, progress) }
        if !found.isComplete {
            try await checkAll()
            queries.checked = context.now()
            try await keep(queries)
        }
    }

    /// Begins the queries again that the program has changed.
    private func select(_ queries: inout MirrorQueries) async throws {
        let old = queries
        queries.queries = selection.publicRecords.sorted { $0.key < $1.key }.map { recordType, filter in
            var query = MirrorQueries.Query()
            (query.recordType, query.filter) = (recordType, "\(filter)")
            return old.queries.first { $0.recordType == recordType && $0.filter == query.filter } ?? query
        }
        if queries == old { return }
        queries.checked = nil
        try await keep(queries)
    }

    private func keep(_ queries: MirrorQueries) async throws {
        var write = MirrorWrite()
        write.queries = queries
        try await context.apply(write)
    }

    /// Fetches the new and changed records of a type, in the order of their changes.
    private func fetch(
        _ position: Int, of queries: inout MirrorQueries, _ progress: MirrorProgress
    ) async throws {
        let state = queries.queries[position]
        guard let filter = selection.publicRecords[state.recordType] else { return }
        // CloudKit takes a filter that all records match alone.
        var conditions = state.isComplete || filter == .constant(true) ? [] : [filter]
        if let newest = state.newest {
            let start = state.isComplete ? newest.addingTimeInterval(-Self.overlap) : newest
            conditions.append(.field("modificationDate") >= start)
        }
        var request = QueryRecordsRequest(in: .public)
        request.query = Query(
            recordType: state.recordType,
            filter: conditions.isEmpty ? .constant(true) : conditions.count == 1 ? conditions[0] : .and(conditions),
            sortedBy: ["modificationDate"])
        request.zoneID = .default
        request.resultsLimit = context.configuration.pageSize
        while true {
            try Task.checkCancellation()
            context.sendLearning.begin()
            let page: QueryRecordsRequest.Response
            do {
                page = try await context.ask(request)
            } catch CabinetError.Code.unknownItem {
                // CloudKit has no such record type before the first save.
                return
            } catch let error as CabinetError where error.code == .limitExceeded && request.resultsLimit > 1 {
                // A page of large records can be longer than a response.
                request.resultsLimit /= 2
                continue
            }
            var next = queries
            let dates = page.records.compactMap(\.modificationDate) + [state.newest].compactMap(\.self)
            next.queries[position].newest = dates.max() ?? state.newest
            if page.position == nil { next.queries[position].isComplete = true }
            var write = MirrorWrite()
            write.queries = next
            write.events = page.records.map { selection.includesPublic($0) ? .saved($0) : .excluded($0) }
            guard try await context.applyFetched(write) else { continue }
            queries = next
            progress.add(page.records.count)
            if !state.isComplete, page.position != nil { await progress.expect(request.query, after: page, context) }
            progress.show(in: context)
            guard let position = page.position else { return }
            request.position = position
        }
    }

    /// Fetches records by ID, and applies what the server has.
    private func check(_ ids: [RecordID]) async throws {
        for part in ids.parts(of: 200) {
            let known = try await store.known(Array(part))
            let ids = part.filter(known.contains)
            if ids.isEmpty { continue }
            var write = MirrorWrite()
            repeat {
                try Task.checkCancellation()
                context.sendLearning.begin()
                write.events = try await read(ids)
            } while try await !context.applyFetched(write)
        }
    }

    /// Returns what the server has of records.
    func read(_ ids: [RecordID]) async throws -> [MirrorEvent] {
        zip(ids, try await context.records(ids)).compactMap { id, result in
            switch result {
            case .success(let record): selection.includesPublic(record) ? .saved(record) : .excluded(record)
            case .failure(let error) where error.hidesRecord: .deleted(id)
            case .failure: nil
            }
        }
    }

    /// Asks for the version of each local record, and fetches those that the server has changed or deleted.
    private func checkAll() async throws {
        let last = try await store.lastNumber()
        var number: Int64? = 0
        while let start = number {
            let page = try await store.serverVersions(in: .default, after: start, through: last, limit: 200)
            var write = MirrorWrite()
            let excluded = page.records.filter { !selection.includesPublic($0) && !$0.isOfStore }
            write.events = excluded.map(MirrorEvent.excluded)
            try await context.apply(write)
            try await check(versions: page.records.filter(selection.includesPublic))
            number = page.next
        }
        // A pending change may be discarded, and then its record has the version that it is based on.
        var position: RecordID?
        while true {
            let page = try await store.pending(after: position, limit: 200)
            try await check(versions: page.compactMap(\.change.ancestor))
            position = page.last?.change.recordID
            if page.count < 200 { break }
        }
        // The server may have had the records of a request without an answer too.
        if let batch = try await store.batch() { try await check(batch.recordIDs) }
    }

    /// Asks for the versions of records, and fetches those that the server has changed or deleted.
    private func check(versions: [Record]) async throws {
        let results = try await context.records(versions.map(\.recordID), desiredKeys: [])
        try await check(
            zip(versions, results).filter { record, result in
                (try? result.get().recordChangeTag) != record.recordChangeTag
            }.map(\.0.recordID))
    }
}

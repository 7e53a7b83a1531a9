/// A query whose result is kept up to date while it is observed.
///
/// The query merges the changes of the database's history into its result. It runs again only if the history does not reach back
/// to its last read, if the new result does not follow from the changed records, or if the user may read other records since.
///
/// This is a class, because copying so large a value would add code to every type that holds one.
final class LiveQuery {
    private let service: LocalDatabaseService
    private let database: DatabaseKey
    private let request: QueryRequest
    private let history: ChangeHistory
    private var arrivals: AsyncStream<Void>.Iterator
    /// The number of the last change set that was read.
    private var number = 0
    /// The last result; `nil` at first, and after an error.
    private var result: LiveResult?
    private var isEnded = false

    init(service: LocalDatabaseService, database: DatabaseKey, request: QueryRequest) {
        self.service = service
        self.database = database
        self.request = request
        // The history begins before the first read, so that no change between the two is lost.
        history = service.tracker.history(of: database)
        arrivals = history.arrivals().makeAsyncIterator()
    }

    /// Waits for the next result: at first the current one, and then a new one whenever it has changed.
    ///
    /// After an error, the next call runs the query again.
    ///
    /// - Returns: The records with the requested fields; `nil` once the container is closed or the task is cancelled.
    func next() async throws -> [Record]? {
        do {
            if !isEnded, let records = try await nextRecords() {
                // The asset of a record that was deleted since has no file; the next result omits the record.
                return await service.addingFiles(
                    to: records.map { $0.trimmed(to: request.desiredKeys) }, in: database
                ).map { Record($0) }
            }
        } catch {
            if !Task.isCancelled, !service.isClosed { throw error }
        }
        isEnded = true
        result = nil
        return nil
    }

    private func nextRecords() async throws -> [StoredRecord]? {
        guard result != nil else {
            result = try await load()
            return result?.records
        }
        while await arrivals.next(isolation: #isolation) != nil, !Task.isCancelled {
            if try await update() { return result?.records }
        }
        return nil
    }

    /// Merges the unread changes into the result, or loads it again.
    ///
    /// - Returns: Whether the result has changed.
    private func update() async throws -> Bool {
        guard var result else { return false }
        // Release this reference, so that the records are changed in place. After an error the result is unknown.
        self.result = nil
        var isChanged = false
        var isStale = false
        if let sets = history.changes(after: number) {
            number += sets.count
            for set in sets where !isStale {
                if service.readAccess(to: database, set.version) != result.readAccess {
                    isStale = true
                    break
                }
                let meter = WorkMeter(limit: service.limits.workPerRequest, observesTask: true)
                switch try WorkMeter.$current.withValue(meter, operation: { try result.merge(set) }) {
                case .unchanged: break
                case .changed: isChanged = true
                case .stale: isStale = true
                }
            }
        } else {
            isStale = true
        }
        if isStale {
            let new = try await ChangeHistory.retryingWhileBusy { try await load() }
            if new.records != result.records { isChanged = true }
            result = new
        }
        self.result = result
        return isChanged
    }

    private func load() async throws -> LiveResult {
        // The result may already include some later changes, which merging tolerates.
        number = history.lastNumber
        try await service.prepare(database)
        return try await service.read(database) { [service, database, request] snapshot in
            let plan = try await service.plan(
                request.query, zoneID: request.zoneID, scope: request.scope, in: snapshot)
            let records = try await snapshot.records(matching: plan)
            let version = try await DatabaseVersion.read(in: snapshot)
            return LiveResult(
                plan, records: records, end: version.end, readAccess: service.readAccess(to: database, version))
        }
    }
}

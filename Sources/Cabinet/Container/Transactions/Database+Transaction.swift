import Synchronization

extension Database {
    /// The reads and writes of ``Database/transaction(attempts:isolation:_:)``.
    ///
    /// Reads throw ``CabinetError/Code/serverRecordChanged`` if an earlier one would have another result now; the closure then
    /// runs again, even if it handles the error. Concurrent reads wait for each other.
    public final class Transaction: Sendable {
        /// The database, or the zone, that the transaction reads and writes.
        public let database: Database

        private let content = Mutex(Content())
        private let turns = AsyncLock()

        init(_ database: Database) {
            self.database = database
        }

        /// The mark of a transaction, for nested ones.
        ///
        /// A task that the closure has started may go on after it, with the mark.
        struct Mark: Sendable {
            weak var transaction: Database.Transaction?
        }

        /// The transactions in whose closures the current task runs, or was started.
        @TaskLocal static var marks: [Mark] = []

        /// Whether the task runs in the closure of a transaction on a database.
        static func isRunning(on database: Database) -> Bool {
            marks.contains { mark in
                guard let transaction = mark.transaction, !transaction.content.withLock(\.hasEnded) else {
                    return false
                }
                return transaction.database.client === database.client
                    && transaction.database.databaseScope == database.databaseScope
            }
        }

        /// The reads and writes so far.
        struct Content: Sendable {
            var reads = TransactionReads()
            /// The records that were read, and the errors of absent ones.
            var known: [RecordID: Result<Record, CabinetError>] = [:]
            /// The records to save, and `nil` for those to delete.
            var writes: [RecordID: Record?] = [:]
            /// The IDs of the writes, in the order of the first ones.
            var writtenIDs: [RecordID] = []
            fileprivate var conflict: CabinetError?
            fileprivate var hasEnded = false
        }
    }
}

extension Database.Transaction {
    /// Saves a record when the closure returns, if the server still has the version that was read.
    ///
    /// The transaction's later reads find this version of the record. A later write of the record replaces this one.
    ///
    /// - Parameter record: A new record, or one that was read in the transaction.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the closure has returned, or the record is in another zone than that of
    ///   ``Database/inZone(_:)``.
    public func save(_ record: Record) throws(CabinetError) {
        try write([(record.recordID, record)])
    }

    /// Saves records when the closure returns.
    ///
    /// - Parameter records: New records, or some that were read in the transaction.
    /// - Throws: The errors of ``save(_:)-(Record)``.
    public func save(_ records: [Record]) throws(CabinetError) {
        try write(records.map { ($0.recordID, $0) })
    }

    /// Deletes a record when the closure returns, with every record that refers to it with ``Reference/Action/deleteSelf``.
    ///
    /// The transaction's later reads do not find the record. They still find those that refer to it.
    ///
    /// - Parameter recordID: The record's ID. Deleting a record that does not exist succeeds.
    /// - Throws: The errors of ``save(_:)-(Record)``.
    public func delete(_ recordID: RecordID) throws(CabinetError) {
        try write([(recordID, nil)])
    }

    private func write(_ writes: [(id: RecordID, record: Record?)]) throws(CabinetError) {
        try database.checkZones(of: writes.lazy.map(\.id))
        let result = content.withLock { content -> Result<Void, CabinetError> in
            if content.hasEnded { return .failure(Self.ended) }
            for (id, record) in writes {
                let id = owner.canonical(id)
                if content.writes.updateValue(record, forKey: id) == nil { content.writtenIDs.append(id) }
            }
            return .success(())
        }
        try result.get()
    }

    var owner: OwnerRule { OwnerRule(user: database.client.userRecordName) }

    private static let ended = CabinetError(
        .invalidArguments, "The transaction has ended. Read and write before its closure returns.")
}

extension Database.Transaction {
    /// Runs a read, after those before it.
    func read<Output: Sendable>(_ body: @Sendable (Content) async throws -> Output) async throws -> Output {
        try await turns.withLock {
            let content = self.content.withLock { $0 }
            if content.hasEnded { throw Self.ended }
            if let conflict = content.conflict { throw conflict }
            return try await recordingConflicts { try await body(content) }
        }
    }

    /// Adds what a response has shown.
    ///
    /// - Parameters:
    ///   - results: The results of the records.
    ///   - query: The query that has found them; `nil` if they were read by ID.
    ///   - end: The end of the change feed in the response's snapshot.
    func add(
        _ results: [(id: RecordID, result: Result<Record, CabinetError>)], of query: ReadQuery? = nil,
        at end: TimelinePoint?
    ) throws(CabinetError) {
        guard let end else { throw CabinetError(.internalError, "The service does not support transactions.") }
        let isExceeded = content.withLock { content in
            content.reads.end = end
            if let query, !content.reads.queries.contains(query) { content.reads.queries.append(query) }
            for (id, result) in results where content.known[id] == nil {
                // Other errors, such as a missing permission, are not of the record.
                guard result.record != nil || [.unknownItem, .zoneNotFound].contains(result.code) else { continue }
                content.known[id] = result
                content.reads.records.append(ReadRecord(recordID: id, changeTag: result.record?.recordChangeTag))
            }
            return content.reads.count > TransactionReads.maximumCount
        }
        if isExceeded { throw TransactionReads.excess }
    }

    /// The reads and writes so far.
    var current: Content { content.withLock { $0 } }

    /// Sends the writes, if every read would have the same result now.
    ///
    /// - Returns: The saved records as the server has stored them, by the IDs that the transaction has used.
    func commit() async throws -> [RecordID: Record] {
        let content = self.content.withLock { content in
            content.hasEnded = true
            return content
        }
        if let conflict = content.conflict { throw conflict }
        if content.writes.isEmpty { return [:] }
        var (saves, deletes): ([Record], [RecordID]) = ([], [])
        for id in content.writtenIDs {
            if let record = content.writes[id] ?? nil { saves.append(record) } else { deletes.append(id) }
        }
        let request = ModifyRecordsRequest(
            scope: database.databaseScope, recordsToSave: saves, recordIDsToDelete: deletes, reads: content.reads)
        let response = try await recordingConflicts { try await database.client.modify(request) }
        let results = try response.results(of: saves, deletes)
        try CabinetError.throwFailures(results.saveResults, results.deleteResults)
        return results.saveResults.compactMapValues(\.record)
    }

    /// Ends the transaction.
    ///
    /// - Returns: The error of a read that would have another result now, if there was one: the closure runs again.
    func end() -> CabinetError? {
        content.withLock { content in
            content.hasEnded = true
            return content.conflict
        }
    }

    /// Runs a request, and remembers that a read has changed.
    private func recordingConflicts<Output: Sendable>(_ body: () async throws -> Output) async throws -> Output {
        do {
            return try await body()
        } catch let error as CabinetError where error.code == .serverRecordChanged {
            content.withLock { $0.conflict = error }
            throw error
        }
    }
}

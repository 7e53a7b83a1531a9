extension Database {
    /// Saves a record and, if another client has saved it since, the result of a conflict resolver.
    ///
    /// While other clients keep saving the record, the resolver runs again, with the same client record and ancestor,
    /// and the server's latest record.
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - resolver: The rule that merges the two versions.
    /// - Returns: The record as the server has stored it.
    /// - Throws: The errors of the resolver. ``CabinetError/Code/unknownItem`` if another client has deleted the
    ///   record. ``CabinetError/Code/operationCancelled`` if the task is cancelled between two attempts. The errors of
    ///   ``save(_:)-(Record)``.
    @discardableResult
    public func save(_ record: Record, resolvingConflictsWith resolver: ConflictResolver) async throws -> Record {
        var record = record
        var first: RecordConflict?
        while true {
            do {
                return try await save(record)
            } catch let error as CabinetError where error.code == .serverRecordChanged {
                guard var conflict = error.conflict else { throw error }
                // A merge with a version that is stale now is not a change of the client.
                if let first {
                    conflict = RecordConflict(
                        clientRecord: first.clientRecord, serverRecord: conflict.serverRecord,
                        ancestorRecord: first.ancestorRecord)
                } else {
                    first = conflict
                }
                if Task.isCancelled {
                    throw CabinetError(
                        .operationCancelled, "The task was cancelled before the record could be saved.",
                        recordID: record.recordID, underlyingError: error)
                }
                record = try resolver.record(for: conflict)
                // A record that equals the server's need not be saved, and notifies no observer.
                if record == conflict.serverRecord { return record }
            }
        }
    }
}

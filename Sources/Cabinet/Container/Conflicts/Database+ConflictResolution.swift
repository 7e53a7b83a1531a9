extension Database {
    /// Saves a record, and if someone else has saved it since, what a resolver makes of both.
    ///
    /// As long as others save the record meanwhile, the resolver is asked again: about the same client's record and the same
    /// ancestor, and what the server has by then.
    ///
    /// - Parameters:
    ///   - record: The record to save.
    ///   - resolver: Decides what the record becomes that two have changed.
    /// - Returns: The record as the server has it afterwards.
    /// - Throws: What the resolver throws; ``CabinetError/Code/unknownItem`` if someone else has deleted the record;
    ///   ``CabinetError/Code/operationCancelled`` if the task is cancelled between two tries; and what ``save(_:)-(Record)`` throws.
    @discardableResult
    public func save(_ record: Record, resolvingConflictsWith resolver: ConflictResolver) async throws -> Record {
        var record = record
        var first: RecordConflict?
        while true {
            do {
                return try await save(record)
            } catch let error as CabinetError where error.code == .serverRecordChanged {
                guard var conflict = error.conflict else { throw error }
                // What was merged with a version that is old by now is no change of the client's.
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
                // What is as the server has it need not be saved, and wakes nobody up.
                if record == conflict.serverRecord { return record }
            }
        }
    }
}

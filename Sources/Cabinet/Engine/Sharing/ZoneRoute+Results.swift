/// Translates what the owner's database returns to the names that a participant uses.
extension ZoneRoute {
    /// Returns a record of the owner's database as the participant sees it.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - user: The participant.
    func callerRecord(_ record: Record, for user: String) -> Record {
        var record = record
        if ShareRule.isShare(record.recordType), var stored = record.unchanged,
            let content = try? ShareContent(stored)?.visible(to: user)
        {
            content.store(in: &stored.fields)
            record = Record(stored)
        }
        return record.mappingRecordIDs(includingStored: true, callerID)
    }

    /// Returns an error of a request to the owner's database as the participant sees it.
    func callerError(_ error: CabinetError, for user: String) -> CabinetError {
        var error = error
        error.recordID = error.recordID.map(callerID)
        if let conflict = error.conflict {
            error.conflict = RecordConflict(
                clientRecord: callerRecord(conflict.clientRecord, for: user),
                serverRecord: callerRecord(conflict.serverRecord, for: user),
                ancestorRecord: conflict.ancestorRecord.map { callerRecord($0, for: user) })
        }
        if !error.partialErrorsByItemID.isEmpty {
            error.partialErrorsByItemID = Dictionary(
                error.partialErrorsByItemID.map { (callerID($0), callerError($1, for: user)) },
                uniquingKeysWith: { first, _ in first })
        }
        return error
    }

    /// Returns the result of a request for one record as the participant sees it.
    func callerResult(_ result: Result<Record, CabinetError>, for user: String) -> Result<Record, CabinetError> {
        result.map { callerRecord($0, for: user) }.mapError { callerError($0, for: user) }
    }
}

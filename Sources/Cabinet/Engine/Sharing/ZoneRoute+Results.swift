/// Translates what the owner's database returns to the names that a participant uses.
extension ZoneRoute {
    /// Returns a record of the owner's database as the participant sees it.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - user: The participant.
    func callerRecord(_ record: Record, for user: String) -> Record {
        var (record, ids) = (record, CallerIDs(self))
        mapToCaller(&record, user, &ids)
        return record
    }

    /// Translates records of the owner's database to what the participant sees.
    func mapToCaller(_ records: inout [Record], _ user: String) {
        var ids = CallerIDs(self)
        for position in records.indices { mapToCaller(&records[position], user, &ids) }
    }

    private func mapToCaller(_ record: inout Record, _ user: String, _ ids: inout CallerIDs) {
        if ShareRule.isShare(record.recordType), var stored = record.unchanged,
            let content = try? ShareContent(stored)?.visible(to: user)
        {
            content.store(in: &stored.fields)
            record = Record(stored)
        }
        record.mapRecordIDs(includingStored: true) { ids.callerID($0) }
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
    func callerResult(
        _ result: Result<Record, CabinetError>, for user: String, _ ids: inout CallerIDs
    ) -> Result<Record, CabinetError> {
        switch result {
        case .success(var record):
            mapToCaller(&record, user, &ids)
            return .success(record)
        case .failure(let error): return .failure(callerError(error, for: user))
        }
    }
}

/// The IDs of an owner's database as a caller names them.
///
/// The records of a zone share one zone ID, because creating an ID costs more than comparing two.
struct CallerIDs {
    private let route: ZoneRoute
    private var last: (stored: RecordZone.ID, caller: RecordZone.ID) = (.default, .default)

    init(_ route: ZoneRoute) {
        self.route = route
        last.caller = route.callerID(last.stored)
    }

    /// Returns an ID of the database as the caller names it.
    mutating func callerID(_ recordID: RecordID) -> RecordID {
        if route.owner == nil { return recordID }
        if recordID.zoneID != last.stored { last = (recordID.zoneID, route.callerID(recordID.zoneID)) }
        return RecordID(recordName: recordID.recordName, zoneID: last.caller)
    }
}

extension LocalRequestHandler {
    func response(to request: FetchLiveChangesRequest) async throws -> FetchLiveChangesRequest.Response {
        if let violation = UserRecordRule.violation(querying: request.recordType) { throw violation }
        if let shared = try sharedHandler(for: request.scope) { return try await shared.response(to: request) }
        let request = ownerRule.canonical(request)
        let database = try databaseToRead(request.scope)
        // The rights of a participant are those that the snapshot has.
        let history = route == nil ? service.tracker.currentHistory(of: database) : nil
        if let (sets, version) = history?.changes(after: request.basis.end) {
            return request.response(sets, version, permissions(in: database, version))
        }
        let signalCount = history?.signalCount ?? 0
        return try await read(database) { snapshot in
            let known = DatabaseVersion(end: request.basis.end, schema: StoredSchema())
            let set = try await ChangeSet.read(after: known, in: snapshot)
            history?.begin(at: set.version, signalCount: signalCount)
            let zoneIDs = [request.zoneID].compactMap(\.self)
            let permissions = try await permissions(in: request.scope, set.version.schema, zoneIDs, from: snapshot)
            for zoneID in zoneIDs where !permissions.canRead(zoneID) {
                throw ZoneRule.notFound(zoneID, in: request.scope)
            }
            return request.response([set], set.version, permissions)
        }
    }
}

extension FetchLiveChangesRequest {
    /// Returns the changes of the zone that concern the type and that the user may read, the last one of each record.
    fileprivate func response(
        _ sets: [ChangeSet], _ version: DatabaseVersion, _ permissions: PermissionRule
    ) -> Response {
        var response = Response()
        response.isComplete = sets.allSatisfy(\.isComplete)
        response.basis = LiveBasis(
            FieldTypes(of: recordType, in: version.schema), end: version.end, readAccess: permissions.readAccess)
        guard response.isComplete else { return response }
        var removed: [RecordZone.ID: Int64] = [:]
        var changes: [RecordID: StoredChange] = [:]
        for set in sets {
            let zones = set.removedZones.filter {
                $0.value > basis.end.number && (zoneID == nil || $0.key == zoneID)
            }
            removed.merge(zones) { $1 }
            // The deletion of a zone includes the records of earlier sets.
            if !zones.isEmpty { changes = changes.filter { zones[$0.key.zoneID] == nil } }
            // A record that has entered a share has an older number than this change.
            let isExact = set.start >= basis.end.number
            for change in set.changes where isExact || change.sequenceNumber > basis.end.number {
                guard zoneID == nil || change.recordID.zoneID == zoneID else { continue }
                changes[change.recordID] = change
            }
        }
        response.removedZones = removed.map { NumberedZone(zoneID: $0, number: $1) }.sorted { $0.number < $1.number }
        for change in changes.values.sorted(by: { $0.sequenceNumber < $1.sequenceNumber }) {
            switch change {
            // The feed of a zone leaves users' records out too.
            case .saved(let record)
            where record.recordType == UserRecordRule.recordType || !permissions.allows(.read, for: record):
                break
            case .saved(let record) where record.recordType.hasSameScalars(as: recordType):
                response.records.append(Record(record))
            // A new record of another type may have the ID of a deleted one.
            case .saved(let record) where record.insertionNumber > basis.end.number:
                response.deletions.append(record.recordID)
            case .deleted(let deletion) where permissions.violation(of: .read, on: deletion.recordType) == nil:
                response.deletions.append(deletion.recordID)
            case .saved, .deleted: break
            }
        }
        return response
    }
}

extension LiveBasis {
    init(_ fields: FieldTypes, end: TimelinePoint, readAccess: String?) {
        self.init(end: end, fields: fields.own.visible, searchable: fields.searchable, readAccess: readAccess)
    }
}

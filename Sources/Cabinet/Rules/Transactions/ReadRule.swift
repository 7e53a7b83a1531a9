/// The rule that decides whether a database would still answer the reads of a transaction in the same way.
///
/// A record must have the change tag that was read, or be absent still. A query must find the same records: those that it found have
/// tags, and no record that was saved since may match it. If the query follows references, no record that the user may read may have
/// changed since, because any of them can change its result.
///
/// Records that the user may not read decide nothing, other than that their IDs are taken: a fetch has the same error.
package struct ReadRule: Sendable {
    let permissions: PermissionRule
    let schema: StoredSchema
    /// The meter that counts the evaluation of filters.
    let meter: WorkMeter?
}

extension ReadRule {
    /// Returns the error if a record is not what was read.
    ///
    /// - Parameters:
    ///   - read: The record as it was read.
    ///   - stored: The stored record; `nil` for none.
    func violation(of read: ReadRecord, stored: StoredRecord?) -> CabinetError? {
        if let stored {
            if let violation = permissions.violation(of: .read, for: stored) { return violation }
            if read.changeTag == stored.changeTag { return nil }
        } else if read.changeTag == nil {
            return nil
        }
        return Self.changedRecord(read.recordID)
    }

    /// Returns the error of a record that is not what was read.
    package static func changedRecord(_ recordID: RecordID) -> CabinetError {
        CabinetError(
            .serverRecordChanged, "The record has changed since the transaction read it. Nothing was changed.",
            recordID: recordID)
    }

    /// Returns the error if changes since a query can have changed the records that it finds.
    ///
    /// - Parameters:
    ///   - read: The query.
    ///   - changes: The last change of each record that has changed since.
    ///   - removedZones: The zones that were deleted since.
    /// - Throws: The errors of evaluating the filter.
    func violation(
        of read: ReadQuery, changes: [StoredChange], removedZones: Set<RecordZone.ID>
    ) throws -> CabinetError? {
        let query = read.query
        let filter = try permissions.readable(query, in: schema)
        let removedZones = removedZones.filter(permissions.canRead)
        if query.followsReferences {
            let isAffected = !removedZones.isEmpty || changes.contains(where: isReadable)
            return isAffected ? Self.changedQuery(query) : nil
        }
        if let zoneID = read.zoneID, removedZones.contains(zoneID) { return Self.changedQuery(query) }
        let plan = try QueryPlan(
            recordType: query.recordType, zoneID: read.zoneID, filter: filter, order: [],
            fields: FieldTypes(of: query.recordType, in: schema)
        ).simplified()
        var compiled = CompiledFilter(validated: plan.filter, fields: plan.fields)
        compiled.meter = meter
        for case .saved(let record) in changes
        where record.recordType.hasSameScalars(as: query.recordType) && permissions.allows(.read, for: record) {
            if read.zoneID != nil, record.recordID.zoneID != read.zoneID { continue }
            if try compiled.matches(record) { return Self.changedQuery(query) }
        }
        return nil
    }

    private func isReadable(_ change: StoredChange) -> Bool {
        switch change {
        case .saved(let record): permissions.allows(.read, for: record)
        case .deleted(let deletion):
            permissions.violation(of: .read, on: deletion.recordType, recordID: deletion.recordID) == nil
        }
    }

    /// Returns the error of a query that would have another result, or whose result is not known to be the same.
    static func changedQuery(_ query: Query) -> CabinetError {
        CabinetError(
            .serverRecordChanged,
            "Records of \(query.recordType) have changed since the transaction queried them. Nothing was changed.")
    }
}

extension Query {
    /// Whether the result depends on records that references lead to.
    var followsReferences: Bool { filter.hasPaths || sortDescriptors.contains(where: \.isByPath) }
}

extension LiveResult {
    /// Merges the changes of the database into the result.
    ///
    /// Changes that the result already includes, wholly or in part, have no effect.
    ///
    /// - Throws: The errors of evaluating the filter; the result is then unusable.
    mutating func merge(_ set: ChangeSet) throws -> MergeOutcome {
        let newEnd = set.version.end
        // Numbers of different timelines cannot be compared: an older copy of the store may have been restored in between.
        if newEnd.timeline != end.timeline { return .stale }
        // The meaning of a filter depends on the fields of the type, which may change without a change of a record.
        let fields = FieldTypes(of: plan.recordType, in: set.version.schema)
        let isSameType = fields.own == plan.fields.own && fields.searchable == plan.fields.searchable
        if !isSameType, newEnd.number >= end.number { return .stale }
        guard set.isComplete else { return newEnd.number == end.number ? .unchanged : .stale }
        if set.start > end.number { return .stale }
        if newEnd.number <= end.number || set.count == 0 { return .unchanged }
        if plan.dependsOnOtherRecords { return .stale }
        let removed = set.removedZones.filter { $0.value > end.number }
        // The queried zone was deleted, and perhaps created again.
        if let zoneID = plan.zoneID, removed[zoneID] != nil { return .stale }
        var isChanged = false
        if !removed.isEmpty { isChanged = removeAll { removed[$0] != nil } }
        let changes = set.changes.filter {
            $0.sequenceNumber > end.number && (plan.zoneID == nil || $0.recordID.zoneID == plan.zoneID)
        }
        if try apply(changes) { isChanged = true }
        end = newEnd
        return isChanged ? .changed : .unchanged
    }
}

extension QueryPlan {
    /// Whether a change of a record that is not in the result can change the result, through a key path.
    fileprivate var dependsOnOtherRecords: Bool {
        filter.hasPaths || order.contains { FieldPath.isLong($0.key) }
    }
}

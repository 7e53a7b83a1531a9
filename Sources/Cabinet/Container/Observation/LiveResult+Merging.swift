extension LiveResult {
    /// Merges the changes of the database into the result.
    ///
    /// Changes that the result already includes, wholly or in part, have no effect.
    ///
    /// - Throws: The errors of evaluating the filter; the result is then unusable.
    mutating func merge(_ changes: FetchLiveChangesRequest.Response) throws -> MergeOutcome {
        if !changes.isComplete { return .stale }
        // The meaning of a filter depends on the fields of the type, which may change without a change of a record.
        let isSameType = changes.basis.fields == basis.fields && changes.basis.searchable == basis.searchable
        if !isSameType || changes.basis.readAccess != basis.readAccess { return .stale }
        if changes.removedZones.isEmpty, changes.records.isEmpty, changes.deletions.isEmpty {
            basis = changes.basis
            return .unchanged
        }
        // The queried zone was deleted, and perhaps created again.
        let removed = Set(changes.removedZones.map(\.zoneID))
        if plan.zoneID.map(removed.contains) == true { return .stale }
        let stored = changes.records.compactMap(\.unchanged)
        if stored.count < changes.records.count { return .stale }
        var isChanged = false
        if !removed.isEmpty { isChanged = removeAll { removed.contains($0) } }
        if try apply(changes.deletions.map { ($0, nil) } + stored.map { ($0.recordID, $0) }) { isChanged = true }
        basis = changes.basis
        return isChanged ? .changed : .unchanged
    }
}

/// The effect of merging changes into the result of a live query.
enum MergeOutcome {
    /// The result is the same as before.
    case unchanged

    /// The result has changed.
    case changed

    /// The new result does not follow from the changes: the query must run again.
    case stale
}

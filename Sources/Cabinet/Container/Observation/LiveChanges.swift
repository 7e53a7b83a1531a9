/// The changes of a database, as they are merged into the result of a live query.
struct LiveChanges {
    /// The state after the changes.
    let basis: LiveBasis
    /// The zones that were deleted.
    let removedZones: Set<RecordZone.ID>
    /// The last change of each changed record: the new version, or `nil` if the record was deleted.
    let records: [(recordID: RecordID, record: StoredRecord?)]

    /// Whether nothing has changed.
    var isEmpty: Bool { removedZones.isEmpty && records.isEmpty }

    /// Reads the changes that a service has returned.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - basis: The state before the changes.
    ///   - zoneID: The zone of the query, or `nil` for all zones.
    /// - Returns: `nil` if the new result does not follow from the changes.
    init?(_ response: FetchLiveChangesRequest.Response, since basis: LiveBasis, zoneID: RecordZone.ID?) {
        if !response.isComplete { return nil }
        // The meaning of a filter depends on the fields of the type, which may change without a change of a record.
        let isSameType = response.basis.fields == basis.fields && response.basis.searchable == basis.searchable
        if !isSameType || response.basis.readAccess != basis.readAccess { return nil }
        removedZones = Set(response.removedZones.map(\.zoneID))
        // The queried zone was deleted, and perhaps created again.
        if let zoneID, removedZones.contains(zoneID) { return nil }
        let stored = response.records.compactMap(\.unchanged)
        if stored.count < response.records.count { return nil }
        self.basis = response.basis
        let all = response.deletions.map { ($0, StoredRecord?.none) } + stored.map { ($0.recordID, $0) }
        // A faulty server may list a record twice.
        let last = Dictionary(all.enumerated().map { ($1.0, $0) }, uniquingKeysWith: { $1 })
        records = last.count == all.count ? all : all.enumerated().filter { last[$1.0] == $0 }.map(\.element)
    }
}

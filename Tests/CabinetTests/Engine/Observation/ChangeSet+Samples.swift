@testable import Cabinet

extension ChangeSet {
    /// A set with the deletion of a zone.
    ///
    /// The number is the zone's start.
    static func zone(_ number: Int) -> ChangeSet {
        let end = TimelinePoint(number: Int64(number) + 1)
        return ChangeSet(
            start: Int64(number), version: DatabaseVersion(end: end, schema: StoredSchema()),
            removedZones: [RecordZone.ID(zoneName: "Z"): end.number])
    }
}

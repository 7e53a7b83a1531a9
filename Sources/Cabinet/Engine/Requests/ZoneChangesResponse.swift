/// One page of the changes in a zone.
struct ZoneChangesResponse: Sendable {
    /// The records, targets of references before the records that refer to them.
    var records: [Record] = []
    var deletions: [RecordZoneChange.Deletion] = []
    var place: FeedPosition
    var moreComing = false
}

/// One page of what has changed in a zone.
struct ZoneChangesResponse: Sendable {
    /// The records, targets of references before those who refer to them.
    var records: [Record] = []
    var deletions: [RecordZoneChange.Deletion] = []
    var place: FeedPosition
    var moreComing = false
}

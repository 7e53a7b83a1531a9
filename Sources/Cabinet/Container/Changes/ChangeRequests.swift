/// A place in the changes of a database or zone.
struct ChangePlace: Sendable, Hashable {
    /// The number of the last change that is known.
    var number: Int64

    /// The number up to which deletions are of no concern, because what is known was read later.
    var horizon: Int64

    /// The end of the database when this place was determined: nothing later is known, of whatever record.
    var end: TimelinePoint
}

/// Asks for one page of the zones in which something has changed.
struct DatabaseChangesRequest: Sendable {
    var scope: Database.Scope
    var since: ChangePlace?
    var resultsLimit: Int?
}

/// One page of the zones in which something has changed.
struct DatabaseChangesResponse: Sendable {
    var modifications: [DatabaseChange.Modification] = []
    var deletions: [DatabaseChange.Deletion] = []
    var place: ChangePlace
    var moreComing = false
}

/// Asks for one page of what has changed in a zone.
struct ZoneChangesRequest: Sendable {
    var scope: Database.Scope
    var zoneID: RecordZone.ID
    var since: ChangePlace?
    var desiredKeys: [Record.FieldKey]?
    var resultsLimit: Int?
}

/// One page of what has changed in a zone.
struct ZoneChangesResponse: Sendable {
    /// The records, targets of references before those who refer to them.
    var records: [Record] = []
    var deletions: [RecordZoneChange.Deletion] = []
    var place: ChangePlace
    var moreComing = false
}

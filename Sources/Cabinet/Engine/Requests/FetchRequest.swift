/// A request for records by ID.
struct FetchRequest: Sendable {
    var scope: DatabaseScope
    var recordIDs: [RecordID]
    var desiredKeys: [Record.FieldKey]?
}

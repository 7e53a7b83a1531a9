/// Asks for records to be saved and deleted.
struct ModifyRequest: Sendable {
    var scope: DatabaseScope
    var recordsToSave: [Record]
    var recordIDsToDelete: [RecordID]
    var savePolicy: RecordSavePolicy
    var isAtomic: Bool
    /// Whether the response has a place in the changes.
    var asksForPlace = false
}

extension ModifyRequest {
    /// The number of records to save and to delete.
    var count: Int { recordsToSave.count + recordIDsToDelete.count }
}

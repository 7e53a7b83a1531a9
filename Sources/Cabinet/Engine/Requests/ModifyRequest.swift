/// A request to save and delete records.
struct ModifyRequest: Sendable {
    var scope: DatabaseScope
    var recordsToSave: [Record]
    var recordIDsToDelete: [RecordID]
    var savePolicy: RecordSavePolicy
    var isAtomic: Bool
    /// Whether the response includes a position in the change feed.
    var asksForPlace = false
    /// Texts to store in the same transaction; `nil` removes one.
    ///
    /// If a record fails, none is stored, and no record of an atomic batch is changed in any zone.
    var entries: [StorageKey: String?] = [:]
}

extension ModifyRequest {
    /// The number of records to save and to delete.
    var count: Int { recordsToSave.count + recordIDsToDelete.count }
}

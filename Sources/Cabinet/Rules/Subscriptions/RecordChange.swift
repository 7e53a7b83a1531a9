/// A record before and after a transaction.
struct RecordChange: Sendable {
    let zoneID: RecordZone.ID
    /// The record as it was; `nil` if it is new, or if nobody needs to know.
    let before: StoredRecord?
    /// The record as it is; `nil` if it was deleted.
    let after: StoredRecord?
    let isInsertion: Bool
}

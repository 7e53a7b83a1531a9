/// A record before and after a transaction.
struct RecordChange: Sendable {
    let zoneID: RecordZone.ID
    /// The record before the transaction; `nil` if the record is new, or if no subscription needs it.
    let before: StoredRecord?
    /// The record after the transaction; `nil` if it was deleted.
    let after: StoredRecord?
    let isInsertion: Bool
}

/// A change of a record as a zone's feed reports it, with the number by which the feed does.
///
/// For a record that has only entered a share, this is not the record's own number.
struct NumberedChange: Sendable {
    let number: Int64
    let change: StoredChange
}

extension StorageSnapshot {
    /// Reads the changes in a zone with their numbers.
    func numberedChanges(
        in zoneID: RecordZone.ID, after number: Int64, limit: Int, of content: ChangeContent
    ) async throws -> [NumberedChange] {
        if let view = self as? ParticipantSnapshot {
            return try await view.visibleChanges(in: zoneID, after: number, limit: limit, of: content)
        }
        return try await changes(in: zoneID, after: number, limit: limit, of: content).map {
            NumberedChange(number: $0.sequenceNumber, change: $0)
        }
    }
}

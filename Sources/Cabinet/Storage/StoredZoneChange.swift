/// The last thing that happened in or to a zone.
public enum StoredZoneChange: Sendable, Hashable {
    /// It was saved, or a record in it was saved or deleted.
    case changed(StoredZone)

    /// It was deleted; maybe another zone was saved under its ID since.
    case deleted(RecordZone.ID, sequenceNumber: Int64)

    /// The number of the change among those of its database.
    public var sequenceNumber: Int64 {
        switch self {
        case .changed(let zone): zone.changeNumber
        case .deleted(_, let number): number
        }
    }
}

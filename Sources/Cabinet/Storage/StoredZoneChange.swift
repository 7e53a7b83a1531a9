/// The latest change of a zone or of a record in it.
public enum StoredZoneChange: Sendable, Hashable {
    /// The zone was saved, or a record in it was saved or deleted.
    case changed(StoredZone)

    /// The zone was deleted; another zone may have been saved under its ID since.
    case deleted(RecordZone.ID, sequenceNumber: Int64)

    /// The sequence number of the change in its database.
    public var sequenceNumber: Int64 {
        switch self {
        case .changed(let zone): zone.changeNumber
        case .deleted(_, let number): number
        }
    }
}

/// A fact that a mirror has learned of one record.
package enum MirrorEvent: Sendable {
    /// The server has this version.
    case saved(Record)
    /// The server has this version, which the program does not mirror.
    case excluded(Record)
    /// The server has no such record any more.
    case deleted(RecordID)
    /// The server has saved what was sent, and this is its version.
    case sent(Record)
    /// The server has deleted the record as it was asked to.
    case sentDeletion(RecordID)
    /// The server has refused the change for good.
    case refused(RecordID, CabinetError)
    /// The server has lost the record with its zone; the error asks the program what to do with a pending change.
    case lost(RecordID, CabinetError)
    /// The server has lost the record, which no client has deleted; the error asks the program what to do with the local one.
    case withdrawn(RecordID, CabinetError)
    /// The store had the record before it became a mirror's.
    case adopted(RecordID)
    /// The program wants a change that was set aside to be sent again.
    case retried(RecordID)
    /// The program drops its pending change.
    case discarded(RecordID)

    /// The record.
    package var recordID: RecordID {
        switch self {
        case .saved(let record), .sent(let record), .excluded(let record): record.recordID
        case .deleted(let id), .sentDeletion(let id), .refused(let id, _), .lost(let id, _), .withdrawn(let id, _),
            .adopted(let id), .retried(let id), .discarded(let id):
            id
        }
    }
}

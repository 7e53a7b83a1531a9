import Foundation

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

/// Values that a server encrypts itself and sends decrypted, as iCloud does.
extension MirrorEvent {
    /// The event with a record that can be coded: an empty ciphertext replaces each decrypted value.
    var concealed: MirrorEvent {
        switch self {
        case .saved(let record) where record.fields.firstUnencryptedKey != nil: .saved(record.concealed)
        case .excluded(let record) where record.fields.firstUnencryptedKey != nil: .excluded(record.concealed)
        case .sent(let record) where record.fields.firstUnencryptedKey != nil: .sent(record.concealed)
        default: self
        }
    }
}

extension Record {
    fileprivate var concealed: Record {
        mappingFields { fields in
            fields.mappingEncryptedValues { value, _ in
                value.ciphertext == nil ? EncryptedValue(value.fieldType, ciphertext: Data()) : value
            }
        }
    }
}

extension FieldValues {
    /// The name of the first field whose value is encrypted and has no ciphertext, or an empty one.
    var firstConcealedKey: Record.FieldKey? {
        guard firstEncryptedKey != nil else { return nil }
        return names.names.first { self[$0]?.encryptedValue.map { $0.ciphertext?.isEmpty ?? true } ?? false }
    }
}

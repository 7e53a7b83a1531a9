import Cabinet
import CloudKit
import Foundation

/// Writes the fields of records into CloudKit's objects.
struct RecordWriter {
    /// The record name of the user.
    let user: String?
    /// The participants that shares add, by the record names of their users.
    let participants: [String: CKShare.Participant]
    /// Returns the file with the bytes of an asset, or `nil` if it was not uploaded.
    let file: (StoredAsset) -> URL?
    /// The assets that the service lacks.
    private(set) var missingAssets: [StoredAsset] = []

    init(
        user: String?, participants: [String: CKShare.Participant] = [:], file: @escaping (StoredAsset) -> URL?
    ) {
        self.user = user
        self.participants = participants
        self.file = file
    }

    /// Sets the fields that a save sends.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - object: CloudKit's object, with the system fields of the version that the save compares.
    ///   - policy: The policy of the save.
    /// - Throws: The refusal of a delete rule that CloudKit lacks.
    mutating func write(_ record: Record, to object: CKRecord, _ policy: RecordSavePolicy) throws(CabinetError) {
        var keys = Set(policy == .allKeys ? record.changedKeys() + record.fields.keys : record.changedKeys())
        if let share = object as? CKShare {
            if !keys.isDisjoint(with: Share.SystemFieldKey.ofMembers) { try write(Share(record), to: share) }
            keys.subtract(Share.SystemFieldKey.ofMembers)
        }
        for key in keys.sorted() {
            guard let value = record.fields[key] else {
                let isEncrypted = record.fetched?.fields[key]?.fieldType.isEncrypted == true
                let fields: any CKRecordKeyValueSetting = isEncrypted ? object.encryptedValues : object
                fields.setObject(nil, forKey: key)
                continue
            }
            try check(value, of: record, key)
            if case .encrypted(let encrypted) = value {
                if let plain = encrypted.value { write(plain, to: object.encryptedValues, key) }
            } else {
                write(value, to: object, key)
            }
        }
        if record.parent != record.fetched?.parent || policy == .allKeys && record.parent != nil {
            object.parent = record.parent.map(reference)
        }
    }

    private func check(_ value: FieldValue, of record: Record, _ key: String) throws(CabinetError) {
        if case .encrypted(let encrypted) = value, encrypted.value == nil || encrypted.ciphertext != nil {
            throw CloudKitGap.encryption.error(recordID: record.recordID, fieldKey: key)
        }
        let references: [Reference] =
            switch value {
            case .reference(let reference): [reference]
            case .list(.reference(let references)): references
            default: []
            }
        for reference in references where reference.action != .none && reference.action != .deleteSelf {
            throw CloudKitGap.deleteRules.error(
                "The reference has '\(reference.action)'.", recordID: record.recordID, fieldKey: key)
        }
    }

    // Each value has a static type, by which both Apple's generic subscript and that of this package take it.
    private mutating func write(_ value: FieldValue, to object: any CKRecordKeyValueSetting, _ key: String) {
        switch value {
        case .string(let value): object[key] = value
        case .int64(let value): object[key] = value
        case .double(let value): object[key] = value
        case .timestamp(let value): object[key] = value
        case .bytes(let value): object[key] = value
        case .reference(let value): object[key] = reference(value)
        case .location(let value): object[key] = value.object
        // Written by its value.
        case .encrypted: break
        case .asset(let value):
            if let asset = asset(value) { object[key] = asset }
        case .list(.string(let values)): object[key] = values
        case .list(.int64(let values)): object[key] = values
        case .list(.double(let values)): object[key] = values
        case .list(.timestamp(let values)): object[key] = values
        case .list(.bytes(let values)): object[key] = values
        case .list(.reference(let values)): object[key] = values.map(reference)
        case .list(.location(let values)): object[key] = values.map(\.object)
        case .list(.asset(let values)):
            let assets = values.compactMap { asset($0) }
            if assets.count == values.count { object[key] = assets }
        }
    }

    private func reference(_ reference: Reference) -> CKRecord.Reference {
        CKRecord.Reference(
            recordID: reference.recordID.object(user: user),
            action: reference.action == .deleteSelf ? .deleteSelf : .none)
    }

    private mutating func asset(_ asset: Asset) -> CKAsset? {
        guard let stored = asset.stored else { return nil }
        if let file = file(stored) { return CKAsset(fileURL: file) }
        missingAssets.append(stored)
        return nil
    }
}

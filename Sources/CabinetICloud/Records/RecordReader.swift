import Cabinet
import CloudKit
import CoreLocation
import Foundation

/// Reads records of CloudKit.
struct RecordReader: Sendable {
    let scope: DatabaseScope
    /// The record name of the user.
    let user: String?
    let assets: ICloudAssets
    let systemFields: SystemFieldsCache
    /// The response whose records are read, with which the files of their assets are kept.
    let response = UUID()

    func recordID(_ id: CKRecord.ID) -> RecordID { RecordID(id, user: user) }

    /// Reads a record, and keeps its system fields for a later save.
    ///
    /// - Parameters:
    ///   - object: The record.
    ///   - isPartial: Whether the object lacks fields that the record may have.
    ///   - sent: The record that was saved, whose unchanged fields the object may lack, and whose assets are known.
    ///   - skipsUnreadable: Whether a value that Cabinet cannot hold is left out.
    /// - Throws: ``/Cabinet/CabinetError/Code/incompatibleVersion`` if a field has a value that Cabinet cannot hold;
    ///   ``/Cabinet/CabinetError/Code/assetNotAvailable`` if the file of an asset cannot be read.
    func record(
        _ object: CKRecord, isPartial: Bool = false, sent: Record? = nil, skipsUnreadable: Bool = false
    ) throws(CabinetError) -> Record {
        let id = recordID(object.recordID)
        var header = Record.Header(object.recordType, id)
        header.recordChangeTag = object.recordChangeTag
        header.creationDate = object.creationDate
        header.creatorUserRecordID = object.creatorUserRecordID.map(userID)
        header.modificationDate = object.modificationDate
        header.lastModifiedUserRecordID = object.lastModifiedUserRecordID.map(userID)
        header.parent = object.parent.map(reference)
        header.share = object.share.map(reference)
        let fields = try fields(
            of: object, isPartial: isPartial, sent: sent?.fields, skipsUnreadable: skipsUnreadable)
        systemFields.store(object, as: id, in: scope)
        return Record(header: header, fields: fields, fetched: Record.Fetched(fields, header.parent))
    }

    /// Reads the server's record of a conflict.
    func result(_ object: CKRecord) -> Result<Record, CabinetError> {
        Result { () throws(CabinetError) in try record(object) }
    }

    /// The ID of a user, for whom CloudKit may have a placeholder.
    private func userID(_ id: CKRecord.ID) -> RecordID {
        RecordID(recordName: id.recordName == CKCurrentUserDefaultName ? user ?? id.recordName : id.recordName)
    }

    private func reference(_ reference: CKRecord.Reference) -> Reference {
        Reference(
            recordID: recordID(reference.recordID), action: reference.action == .deleteSelf ? .deleteSelf : .none)
    }

    private func fields(
        of object: CKRecord, isPartial: Bool, sent: FieldValues?, skipsUnreadable: Bool
    ) throws(CabinetError) -> FieldValues {
        var values: [String: FieldValue] = [:]
        var isComplete = !isPartial
        let id = recordID(object.recordID)
        // CloudKit's allKeys() has the encrypted keys too, and no source says what the record's own subscript reads for them.
        let encryptedKeys = Set(object.encryptedValues.allKeys())
        for key in object.allKeys() where !encryptedKeys.contains(key) {
            guard let value = object.object(forKey: key) else { continue }
            if let sent = sent?[key], sent.fieldType.scalar == .asset {
                values[key] = sent
            } else if let value = try fieldValue(of: value, key, in: id, skipsUnreadable: skipsUnreadable) {
                values[key] = value
            } else {
                isComplete = false
            }
        }
        for key in encryptedKeys {
            guard let value = object.encryptedValues.object(forKey: key) else { continue }
            let read = try fieldValue(of: value, key, in: id, skipsUnreadable: skipsUnreadable)
                .flatMap { EncryptedValue($0) }
            if let read { values[key] = .encrypted(read) } else { isComplete = false }
        }
        if let sent {
            isComplete = isComplete && sent.isComplete
            sent.forEach { key, value in values[key] = values[key] ?? value }
        }
        if let share = object as? CKShare { values.merge(members(of: share)) { $1 } }
        let names = values.keys.sorted()
        return FieldValues(names: .known(names), values: names.map { values[$0] }, isComplete: isComplete)
    }

    /// Reads a value; `nil` for an asset that was not downloaded, whose bytes are unknown, and for a value that is skipped.
    func fieldValue(
        of value: Any, _ key: String, in id: RecordID, skipsUnreadable: Bool = false
    ) throws(CabinetError) -> FieldValue? {
        do {
            if let list = value as? [Any] { return try self.list(list, as: type(of: value)).map(FieldValue.list) }
            return try scalar(value)
        } catch {
            if skipsUnreadable { return nil }
            var failure = error
            (failure.recordID, failure.fieldKey) = (id, key)
            // The file of an asset may be missing for the moment.
            if error.code == .incompatibleVersion {
                failure.message = "iCloud's record has a value that Cabinet cannot hold: \(error.message)"
            }
            throw failure
        }
    }

    private func scalar(_ value: Any) throws(CabinetError) -> FieldValue? {
        switch value {
        case let text as String: return .string(text)
        case let number as NSNumber:
            guard let value = number.fieldValue else {
                throw CabinetError(.incompatibleVersion, "the number \(number) does not fit 64 bits.")
            }
            return value
        case let date as Date: return .timestamp(date)
        case let data as Data: return .bytes(data)
        case let reference as CKRecord.Reference: return .reference(self.reference(reference))
        case let location as CLLocation: return .location(Location(location))
        case let asset as CKAsset:
            guard let file = asset.fileURL else { return nil }
            return .asset(Asset(try assets.keep(file, in: scope, for: response)))
        default: throw CabinetError(.incompatibleVersion, "an object of the class \(type(of: value)).")
        }
    }

    private func list(_ list: [Any], as type: any Any.Type) throws(CabinetError) -> FieldList? {
        guard !list.isEmpty else { return Self.emptyList(of: type) }
        var elements: [FieldValue] = []
        for element in list {
            guard let value = try scalar(element) else { return nil }
            elements.append(value)
        }
        let types = Set(elements.map(\.fieldType.scalar))
        if types == [.int64, .double] {
            elements = elements.map { if case .int64(let number) = $0 { .double(Double(number)) } else { $0 } }
        } else if types.count > 1 {
            throw CabinetError(.incompatibleVersion, "a list with elements of several types.")
        }
        return elements.last.flatMap { last in
            FieldList(elements, of: types.count > 1 ? .double : last.fieldType.scalar)
        }
    }

    /// The empty list of an array's type, which no element shows.
    private static func emptyList(of type: any Any.Type) -> FieldList {
        switch type {
        case is [NSNumber].Type: .int64([])
        case is [Date].Type: .timestamp([])
        case is [Data].Type: .bytes([])
        case is [CKRecord.Reference].Type: .reference([])
        case is [CLLocation].Type: .location([])
        case is [CKAsset].Type: .asset([])
        default: .string([])
        }
    }
}

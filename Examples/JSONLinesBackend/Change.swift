import Cabinet
import Foundation

/// One change of a database, as the file stores it.
///
/// A change is a ``StorageMutation`` without values that the state already has, such as the replaced record.
enum Change: Codable {
    case addFields(type: String, fields: [StoredField])
    case setIndexes(type: String, indexes: Set<StoredIndex>)
    /// Without a new name, the type or field is removed.
    case rename(type: String, field: String?, newName: String?)
    case save(record: StoredRecord)
    case delete(deletion: StoredDeletion)
    case forgetDeletions(zone: RecordZone.ID, through: Int64)
    case eraseZone(zone: RecordZone.ID)
    case setEntry(key: String, text: String?)
    case addAsset(checksum: Asset.Checksum, bytes: Data)
    case removeAsset(checksum: Asset.Checksum)
}

extension Change {
    /// Creates the change for a mutation.
    ///
    /// - Parameters:
    ///   - mutation: The mutation.
    ///   - uploads: The uploads, which have the bytes of assets to add.
    init(_ mutation: StorageMutation, uploads: UploadBuffer) throws {
        self =
            switch mutation {
            case .insert(let record), .update(let record, replacing: _): .save(record: record)
            case .delete(let deletion, replacing: _): .delete(deletion: deletion)
            case .forgetDeletions(let zoneID, let number): .forgetDeletions(zone: zoneID, through: number)
            case .eraseZone(let zoneID): .eraseZone(zone: zoneID)
            case .addFields(let fields, let recordType): .addFields(type: recordType, fields: fields)
            case .setIndexes(let indexes, let recordType): .setIndexes(type: recordType, indexes: indexes)
            case .rename(let part, let name): .rename(type: part.recordType, field: part.fieldKey, newName: name)
            case .remove(let part): .rename(type: part.recordType, field: part.fieldKey, newName: nil)
            case .setEntry(let key, let text): .setEntry(key: key.text, text: text)
            case .addAsset(let asset, let id): .addAsset(checksum: asset.checksum, bytes: try uploads.bytes(of: id))
            case .removeAsset(let checksum): .removeAsset(checksum: checksum)
            }
    }
}

/// The changes of one transaction: a line of the file.
struct LogLine: Codable {
    let database: DatabaseKey
    let changes: [Change]
}

extension LogLine {
    /// The line as JSON, without a line break.
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }
}

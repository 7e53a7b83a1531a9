import Cabinet
import Foundation

/// The encrypted fields of a record.
final class CKEncryptedValues: CKRecordKeyValueSetting {
    private let record: CKRecord

    init(_ record: CKRecord) {
        self.record = record
    }

    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        let value: StoredFieldValue? = record.value.encryptedValues[key]
        return value?.value.object
    }

    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey) {
        guard let object else { return record.change { $0.encryptedValues[key] = nil as StoredFieldValue? } }
        // Converted without the lock, because the value may be the record.
        guard let value = FieldValue(object: object), value.fieldType.encrypted != nil else {
            return record.change { $0.encryptedValues[key] = unsupportedValue(of: object) }
        }
        record.change { $0.encryptedValues[key] = StoredFieldValue(value) }
    }

    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func allKeys() -> [CKRecord.FieldKey] { record.value.encryptedValues.allKeys() }

    func changedKeys() -> [CKRecord.FieldKey] { record.value.encryptedValues.changedKeys() }
}

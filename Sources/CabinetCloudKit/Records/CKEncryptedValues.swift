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
        record.change { record in
            guard let object else { return record.encryptedValues[key] = nil as StoredFieldValue? }
            guard let value = FieldValue(object: object) else {
                return record.encryptedValues[key] = UnsupportedValue()
            }
            record.encryptedValues[key] = StoredFieldValue(value)
        }
    }

    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func allKeys() -> [CKRecord.FieldKey] { record.value.encryptedValues.allKeys() }

    func changedKeys() -> [CKRecord.FieldKey] { record.value.encryptedValues.changedKeys() }
}

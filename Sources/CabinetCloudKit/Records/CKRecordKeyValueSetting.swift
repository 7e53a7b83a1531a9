import Cabinet
import Foundation

/// A record whose fields are read and set by name.
public protocol CKRecordKeyValueSetting: AnyObject {
    /// Returns the value of a field.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?

    /// Sets the value of a field; `nil` removes it.
    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)

    /// The value of a field.
    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? { get set }

    /// The names of the fields that have a value.
    func allKeys() -> [CKRecord.FieldKey]

    /// The names of the fields that were changed since the record was fetched or saved.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a field, converted to a type, or `nil` if it does not convert.
    ///
    /// Numbers convert as `NSNumber` does.
    public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
        get {
            guard let object = object(forKey: key) else { return nil }
            if let value = object as? T { return value }
            guard let type = T.self as? any RecordValue.Type, let stored = FieldValue(object: object) else {
                return nil
            }
            return type.init(fieldValue: stored) as? T
        }
        set { setObject(newValue, forKey: key) }
    }
}

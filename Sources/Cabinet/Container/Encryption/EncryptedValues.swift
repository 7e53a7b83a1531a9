extension Record {
    /// The fields whose values are encrypted before the record leaves the program, and decrypted after a fetch.
    ///
    /// ```swift
    /// record.encryptedValues["note"] = "The key is under the mat"
    /// let note: String? = record.encryptedValues["note"]
    /// ```
    ///
    /// Stores and servers have only the encrypted values. They therefore have no index of the fields, and no filter, sort key or
    /// aggregate reads them. The container needs a key store: <doc:EncryptingValues> has the details.
    ///
    /// A name belongs to either an encrypted field or another one: the record's own subscript returns `nil` for encrypted fields, and
    /// this one for all others.
    public var encryptedValues: EncryptedValues {
        get { EncryptedValues(record: self) }
        set { self = newValue.record }
    }
}

/// The encrypted fields of a record, which are read and set as the record's other fields are.
public struct EncryptedValues: Sendable {
    fileprivate(set) var record: Record

    /// The value of a field, as the record's own subscript returns it.
    ///
    /// It is `nil` also if the value cannot be decrypted; ``error(forKey:)`` returns the reason. Setting `nil` removes the value.
    /// References and assets cannot be encrypted: saving the record refuses them.
    public subscript(key: Record.FieldKey) -> (any RecordValue)? {
        get { value(forKey: key)?.recordValue }
        set { record.setEncryptedValue(newValue, forKey: key) }
    }

    /// The value of a field, converted to a type, or `nil` if the field has no value that converts and can be decrypted.
    public subscript<Value: RecordValue>(key: Record.FieldKey) -> Value? {
        get { value(forKey: key).flatMap(Value.init(fieldValue:)) }
        set { record.setEncryptedValue(newValue, forKey: key) }
    }

    /// The value of a field, or a default if the field has no value that converts and can be decrypted.
    public subscript<Value: RecordValue>(
        key: Record.FieldKey, default defaultValue: @autoclosure () -> Value
    ) -> Value {
        get { self[key] ?? defaultValue() }
        set { record.setEncryptedValue(newValue, forKey: key) }
    }

    /// Returns the names of the encrypted fields that have a value, in the order in which they were added.
    public func allKeys() -> [Record.FieldKey] {
        record.fields.keys.filter { record.fieldValue(forKey: $0)?.encryptedValue != nil }
    }

    /// Returns the names of the encrypted fields whose values differ from those that were last fetched or saved.
    public func changedKeys() -> [Record.FieldKey] {
        let fetched = record.fetched?.fields
        return record.changedKeys().filter {
            (record.fieldValue(forKey: $0) ?? fetched?[$0])?.encryptedValue != nil
        }
    }

    /// Returns the reason why the value of a field cannot be read, or `nil` if it can, or if the field has no value.
    ///
    /// The record's other fields can be read nevertheless, and a save keeps the encrypted value unless the field is set.
    public func error(forKey key: Record.FieldKey) -> CabinetError? {
        guard let value = record.fieldValue(forKey: key)?.encryptedValue else { return nil }
        switch value.decryption {
        case .value: return nil
        case .failure(let error): return error as? CabinetError ?? CabinetError(.internalError, "\(error)")
        case .none:
            return CabinetError(
                .invalidArguments,
                "The value is encrypted, and was not decrypted. Fetch the record in a container with a key store.",
                recordID: record.recordID, fieldKey: key)
        }
    }

    private func value(forKey key: Record.FieldKey) -> FieldValue? {
        record.fieldValue(forKey: key)?.encryptedValue?.value
    }
}

extension Record {
    /// Sets a value that is encrypted before the record leaves the program.
    mutating func setEncryptedValue(_ value: (any RecordValue)?, forKey key: FieldKey) {
        // An equal value loses its ciphertext too: a save encrypts it again if the zone has a new key, and keeps the old one otherwise.
        let new = value?.fieldValue.flatMap { EncryptedValue($0) }
        set(value, as: new.map { .encrypted($0) }, kind: "an encrypted value", forKey: key)
    }
}

extension EncryptedValues: CustomStringConvertible {
    /// The names of the fields, without their values.
    public var description: String { "encrypted: \(allKeys().joined(separator: ", "))" }
}

import Foundation

extension Record {
    /// The value of a field, as CloudKit returns it: text as `String`, numbers as `NSNumber`, lists as arrays.
    ///
    /// Swift casts an `NSNumber` to every number type that can hold its value exactly, and 1 and 0 to `Bool`. So
    /// `record["isDone"] as? Bool`, `record["number"] as? Int`, `as? Int64` and `as? Double`, and `record["sizes"] as?
    /// [Int]` work for every number type that the value may have been set with. In a `switch`, name `Bool` after the
    /// number types, because 1 and 0 match it. Setting `nil` removes the value.
    ///
    /// - Complexity: O(1) to read a single value; O(*n*) to set a field when a copy of the record shares its content.
    public subscript(key: FieldKey) -> (any RecordValue)? {
        get { fieldValue(forKey: key)?.plainValue?.recordValue }
        set { set(newValue, forKey: key) }
    }

    /// The value of a field, converted to a type, or `nil` if the field has no value or the value does not convert.
    ///
    /// Numbers convert as `NSNumber` does: 2 reads as a `Double`, 2.0 reads as an `Int`, and 300 does not read as a
    /// `UInt8`.
    public subscript<Value: RecordValue>(key: FieldKey) -> Value? {
        get {
            guard let value = fieldValue(forKey: key) else { return nil }
            return Value(fieldValue: value)
        }
        set { set(newValue, forKey: key) }
    }

    /// The value of a field, or a default if the field has no value or the value does not convert.
    ///
    /// ```swift
    /// record["number", default: 0] += 1
    /// ```
    ///
    /// The default has the type: with `0`, an `Int`, a fraction does not convert, and is replaced. Write `default: 0.0` if the
    /// field may hold fractions.
    public subscript<Value: RecordValue>(key: FieldKey, default defaultValue: @autoclosure () -> Value) -> Value {
        get { self[key] ?? defaultValue() }
        set { set(newValue, forKey: key) }
    }

    /// Returns the names of the fields that have a value, in the order in which they were added.
    ///
    /// ``EncryptedValues/allKeys()`` returns the names of encrypted fields.
    public func allKeys() -> [FieldKey] {
        fields.keys.filter { fieldValue(forKey: $0)?.plainValue != nil }
    }

    /// Returns the names of the fields whose values differ from those that were last fetched or saved.
    ///
    /// A save sends these fields, unless its policy is ``RecordSavePolicy/allKeys``. For a record that was never fetched,
    /// these are all fields that were set, also those set to `nil`. A number that equals the fetched one is not a change: 2
    /// over 2.0.
    ///
    /// They include a field whose value was removed and, in a record that was fetched with `desiredKeys`, a field that
    /// was not fetched and then set or removed.
    ///
    /// - Complexity: O(*n*) in the number of fields.
    public func changedKeys() -> [FieldKey] {
        guard let fetched else { return fields.names.names }
        return fields.keysChanged(since: fetched.fields)
    }

    /// Sets a field to a stored value.
    @usableFromInline
    package mutating func setFieldValue(_ value: FieldValue?, forKey key: FieldKey) {
        mutate { storage in
            storage.set(value, forKey: key)
            if !storage.misfits.isEmpty { storage.misfits[key] = nil }
        }
    }

    private mutating func set(_ value: (any RecordValue)?, forKey key: FieldKey) {
        set(value, as: value?.fieldValue, forKey: key)
    }

    /// Sets a field to a value as it is stored, or remembers a value that no field can hold.
    mutating func set(
        _ value: (any RecordValue)?, as fieldValue: FieldValue?, kind: String = "a value", forKey key: FieldKey
    ) {
        mutate { storage in
            storage.set(fieldValue, forKey: key)
            if let value, fieldValue == nil {
                // The message shows numbers alone: other values may be large, or have a description that stops the
                // program.
                let isNumber = value is any BinaryInteger || value is NSNumber
                storage.misfits[key] = "\(isNumber ? "\(value) of" : "\(kind) of") type \(type(of: value))"
            } else if !storage.misfits.isEmpty {
                storage.misfits[key] = nil
            }
        }
    }
}

extension Record: Sequence {
    /// Iterates over the fields that have a value, except for encrypted ones.
    public func makeIterator() -> AnyIterator<(FieldKey, any RecordValue)> {
        var iterator = zip(fields.names.names, fields.values).makeIterator()
        return AnyIterator {
            while let (key, value) = iterator.next() {
                if let value = value?.plainValue { return (key, value.recordValue) }
            }
            return nil
        }
    }

    /// Zero, because counting the fields that have a value means reading all of them.
    public var underestimatedCount: Int { 0 }
}

extension Record {
    /// The value of a field, as the Swift type that fits its stored type.
    ///
    /// A whole number comes back as `Int`, whatever its width was when it was set, a boolean as the `Int` 1 or 0, and a list
    /// as a typed array, so that `record["number"] as? Int` and `record["tags"] as? [String]` work. Setting `nil` removes
    /// the value.
    ///
    /// - Complexity: O(1) to read a single value; O(*n*) to set a field when a copy of the record shares its content.
    public subscript(key: FieldKey) -> (any RecordValue)? {
        get { value(forKey: key)?.recordValue }
        set { set(newValue, forKey: key) }
    }

    /// The value of a field, converted to a type, or `nil` if there is none or it does not convert.
    ///
    /// Numbers convert as `NSNumber` does: 2 reads as a `Double`, 2.0 reads as an `Int`, and 300 reads as no `UInt8`.
    public subscript<Value: RecordValue>(key: FieldKey) -> Value? {
        get {
            guard let value = value(forKey: key) else { return nil }
            return Value(fieldValue: value)
        }
        set { set(newValue, forKey: key) }
    }

    /// The names of the fields that have a value.
    public func allKeys() -> [FieldKey] {
        fields.keys
    }

    /// The names of the fields whose values differ from what was fetched or saved last; for a record that never was, of all
    /// that have a value.
    ///
    /// A field whose value was removed is among them, and so is, in a record that was fetched with `desiredKeys`, a field that
    /// was not fetched and has been set or removed.
    ///
    /// - Complexity: O(*n*) in the number of fields.
    public func changedKeys() -> [FieldKey] {
        guard let fetched else { return allKeys() }
        return fields.keysChanged(since: fetched.fields)
    }

    private mutating func set(_ value: (any RecordValue)?, forKey key: FieldKey) {
        let fieldValue = value?.fieldValue
        mutate { storage in
            storage.fields[key] = fieldValue
            if let value, fieldValue == nil {
                // Only a number is shown: other values may be large, or have a description that stops the program.
                let number = (value as? any BinaryInteger).map { "\($0) of type" } ?? "a value of type"
                storage.misfits[key] = "\(number) \(type(of: value))"
            } else if !storage.misfits.isEmpty {
                storage.misfits[key] = nil
            }
        }
    }
}

extension Record: Sequence {
    /// Iterates over the fields that have a value.
    public func makeIterator() -> AnyIterator<(FieldKey, any RecordValue)> {
        var iterator = zip(fields.names.names, fields.values).makeIterator()
        return AnyIterator {
            while let (key, value) = iterator.next() {
                if let value { return (key, value.recordValue) }
            }
            return nil
        }
    }

    /// Zero: how many fields have a value is known after looking at all of them.
    public var underestimatedCount: Int { 0 }
}

/// The rules for encrypted fields, whose values no store can read.
enum EncryptionRule {
    /// Returns the error if a database cannot have a record because of its encrypted values.
    ///
    /// Their keys belong to users, and the public database belongs to none.
    static func violation(saving record: Record, in scope: DatabaseScope) -> CabinetError? {
        guard scope == .public, let key = record.fields.firstEncryptedKey else { return nil }
        return CabinetError(
            .invalidArguments,
            "The field '\(key)' is encrypted, and the public database has no encrypted values. Save the record in the private "
                + "database.", recordID: record.recordID, fieldKey: key)
    }

    /// Returns the error if a record type or a field cannot have another name, for which its values were not encrypted.
    static func violation(renaming part: SchemaPart, in schema: StoredSchema) -> CabinetError? {
        let encrypted = (schema.recordTypes[part.recordType] ?? [:]).filter {
            $0.value.isEncrypted && (part.fieldKey == nil || part.fieldKey == $0.key)
        }
        guard let key = encrypted.keys.min() else { return nil }
        return CabinetError(
            .invalidArguments,
            "The values of \(SchemaPart(part.recordType, key).subject) are encrypted for its names, and cannot be decrypted under "
                + "another one. Add a new field, and move the values in the program.", fieldKey: key)
    }

    /// Returns the reason why a schema cannot have the options of a field; `nil` if it can.
    static func reason(toReject options: Schema.Field.Options, of type: FieldType) -> String? {
        guard type.isEncrypted, let word = options.words.first else { return nil }
        return "is of type \(type) and cannot be \(word), because a store cannot read encrypted values"
    }
}

extension FieldValues {
    /// The name of the first field with an encrypted value.
    var firstEncryptedKey: Record.FieldKey? {
        // In place: copying each value would cost more than reading it.
        values.withUnsafeBufferPointer { values in
            for position in values.indices {
                if case .encrypted? = values[position] { return names.names[position] }
            }
            return nil
        }
    }

    /// The name of the first field whose value still has to be encrypted.
    var firstUnencryptedKey: Record.FieldKey? {
        guard firstEncryptedKey != nil else { return nil }
        return names.names.first { self[$0]?.encryptedValue.map { $0.ciphertext == nil } ?? false }
    }

    /// The fields with other encrypted values.
    func mappingEncryptedValues(_ transform: (EncryptedValue, Record.FieldKey) -> EncryptedValue?) -> FieldValues {
        guard firstEncryptedKey != nil else { return self }
        var mapped = self
        for (position, name) in names.names.enumerated() {
            guard let value = values[position]?.encryptedValue else { continue }
            mapped.set(transform(value, name).map { .encrypted($0) }, at: position)
        }
        return mapped
    }
}

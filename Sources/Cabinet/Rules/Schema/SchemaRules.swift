/// The parts of a database's schema that no backend knows: roles, grants, unique values and former names.
package struct SchemaRules: Sendable, Equatable {
    /// The custom roles.
    var roles: Set<String> = []

    /// The record types that have rules of their own.
    private(set) var types: [Record.RecordType: RecordType] = [:]

    /// The rules of a record type.
    struct RecordType: Sendable, Equatable {
        /// The lists of fields whose values no two records share.
        var uniqueKeys: Set<[Record.FieldKey]> = []
        /// The declared grants; empty for the default.
        var grants: [String: Set<Schema.Permission>] = [:]
        /// The present names of fields by their former ones.
        var renamedFields: [Record.FieldKey: Record.FieldKey] = [:]
        /// The present name of a type that was renamed; then this is not a type, and has no other rules.
        var newName: Record.RecordType?
    }

    /// Accesses the rules of a record type.
    subscript(recordType: Record.RecordType) -> RecordType {
        get { types[recordType] ?? RecordType() }
        set { types[recordType] = newValue == RecordType() ? nil : newValue }
    }
}

extension SchemaRules {
    /// Renames a record type or a field, and keeps its former name.
    mutating func rename(_ part: SchemaPart, to newName: String) {
        guard let old = part.fieldKey else {
            let moved = self[part.recordType]
            for (name, type) in types where type.newName == part.recordType { self[name].newName = newName }
            self[newName] = moved
            self[part.recordType] = RecordType(newName: newName)
            return
        }
        var type = self[part.recordType]
        type.uniqueKeys = Set(type.uniqueKeys.map { $0.map { $0 == old ? newName : $0 } })
        type.renamedFields = type.renamedFields.mapValues { $0 == old ? newName : $0 }
        type.renamedFields[newName] = nil
        type.renamedFields[old] = newName
        self[part.recordType] = type
    }

    /// Removes the rules of a record type, or those of a field, and their former names.
    mutating func remove(_ part: SchemaPart) {
        guard let key = part.fieldKey else {
            for (name, type) in types where type.newName == part.recordType { self[name] = RecordType() }
            self[part.recordType] = RecordType()
            return
        }
        self[part.recordType].uniqueKeys = self[part.recordType].uniqueKeys.filter { !$0.contains(key) }
        self[part.recordType].renamedFields = self[part.recordType].renamedFields.filter { $0.value != key }
    }

    /// Forgets the former names that are names of types and fields again.
    mutating func forgetFormerNames(in schema: Schema) {
        for (name, type) in schema.recordTypes where types[name] != nil {
            if self[name].newName != nil { self[name] = RecordType() }
            for key in type.fields.keys { self[name].renamedFields[key] = nil }
        }
    }
}

extension StoredSchema {
    /// Whether some record type has grants of its own.
    var hasGrants: Bool { indexes.values.contains { $0.contains(SchemaRules.indexOfGrants) } }
}

extension SchemaRules {
    /// The index of a record type with grants, which finds a user's own records.
    ///
    /// Its presence in a schema also says that there are grants to load, so that requests without any load nothing. A schema that a
    /// program declares has no index of one field.
    static let indexOfGrants = StoredIndex.compound([SystemField.creatorUserRecordID.rawValue])

    /// Returns the lists of fields of a record type whose values no two records share, sorted.
    package func uniqueKeys(of recordType: Record.RecordType) -> [[Record.FieldKey]] {
        self[recordType].uniqueKeys.sortedByNames
    }

    /// Whether some record type has grants of its own.
    var hasGrants: Bool { types.values.contains { !$0.grants.isEmpty } }

    /// Returns the grants of a record type, declared or default.
    func grants(of recordType: Record.RecordType) -> [String: Set<Schema.Permission>] {
        let declared = types[recordType]?.grants ?? [:]
        return declared.isEmpty ? Schema.defaultGrants(of: recordType) : declared
    }

    /// Declares the grants of a record type; the default needs no declaration.
    mutating func setGrants(_ grants: [String: Set<Schema.Permission>], of recordType: Record.RecordType) {
        self[recordType].grants = grants == Schema.defaultGrants(of: recordType) ? [:] : grants
    }
}

extension Schema {
    /// Creates the schema that a database has; with the users' own records if they have fields, and without shares, which no schema
    /// declares.
    init(_ stored: StoredSchema, _ rules: SchemaRules = SchemaRules()) {
        self.init(recordTypes: [:], roles: rules.roles)
        for (name, types) in stored.recordTypes {
            if ShareRule.isShare(name) { continue }
            let rule = rules[name]
            if name == UserRecordRule.recordType, types.isEmpty, rule == SchemaRules.RecordType() { continue }
            // The indexes of unique values and of grants belong to them.
            var indexes = (stored.indexes[name] ?? []).subtracting(rule.uniqueKeys.map(StoredIndex.compound))
            if !rule.grants.isEmpty { indexes.remove(SchemaRules.indexOfGrants) }
            var type = RecordType(types, indexes: indexes)
            type.uniqueKeys = rule.uniqueKeys
            type.grants = rule.grants
            recordTypes[name] = type
        }
    }

    /// Adds the types and fields of another schema, which wins where the type of a field differs.
    mutating func merge(_ other: Schema) {
        roles.formUnion(other.roles)
        for (name, type) in other.recordTypes {
            var merged = self[name]
            for (key, field) in type.fields {
                var field = field
                if let known = merged[key], known.type == field.type {
                    field.options.formUnion(known.options)
                    field.deleteRule = field.deleteRule ?? known.deleteRule
                }
                merged[key] = field
            }
            merged.indexes.formUnion(type.indexes)
            merged.uniqueKeys.formUnion(type.uniqueKeys)
            if merged.grants.isEmpty { merged.grants = type.grants }
            self[name] = merged
        }
    }
}

extension StoredSchema {
    /// Creates the stored schema of a database that has exactly the declared types, fields and indexes.
    init(_ schema: Schema) {
        self.init()
        for (name, type) in schema.recordTypes {
            recordTypes[name] = type.fields.filter { SystemField(rawValue: $0.key) == nil }.mapValues(\.type)
            let storedIndexes = type.storedIndexes
            if !storedIndexes.isEmpty { indexes[name] = storedIndexes }
        }
    }
}

extension Schema.RecordType {
    fileprivate init(_ types: [Record.FieldKey: FieldType], indexes: Set<StoredIndex>) {
        self.init(fields: types.visible.mapValues { Schema.Field($0) })
        func insert(_ option: Schema.Field.Options, for key: Record.FieldKey) {
            guard let type = SystemField(rawValue: key)?.fieldType ?? types[key] else { return }
            fields[key, default: Schema.Field(type)].options.insert(option)
        }
        for index in indexes {
            switch index {
            case .queryable(let key): insert(.queryable, for: key)
            case .sortable(let key): insert(.sortable, for: key)
            case .searchable(let key): insert(.searchable, for: key)
            case .compound(let keys): self.indexes.insert(keys.map { IndexedPath(hiddenKey: $0)?.key ?? $0 })
            }
        }
    }

    /// The indexes in the form in which a store receives them.
    var storedIndexes: Set<StoredIndex> {
        let indexes = indexes.map { keys in keys.map { IndexedPath($0)?.hiddenKey ?? $0 } }
        var stored = Set((indexes + uniqueKeys).map(StoredIndex.compound))
        for (key, field) in fields {
            if field.options.contains(.queryable) { stored.insert(.queryable(key)) }
            if field.options.contains(.sortable) { stored.insert(.sortable(key)) }
            if field.options.contains(.searchable) { stored.insert(.searchable(key)) }
        }
        return stored
    }
}

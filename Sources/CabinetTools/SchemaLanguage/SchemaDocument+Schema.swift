public import Cabinet

extension SchemaDocument {
    /// Creates the document of a schema.
    ///
    /// Record types and fields are sorted by name, and system fields come first. A type without grants has those of CloudKit's
    /// default: everyone reads, every user creates, and the creator writes.
    ///
    /// - Parameter schema: The schema.
    public init(_ schema: Schema) {
        self.init(
            roles: schema.roles.sorted(),
            recordTypes: schema.recordTypes.sorted { $0.key < $1.key }.map { name, type in
                let fields = type.fields.map { key, field in
                    Field(
                        name: SchemaWords.name(of: key), type: DataType(field.type), options: field.options,
                        deleteRule: field.deleteRule)
                }
                return RecordType(
                    name: name, fields: fields.sorted { $0.name < $1.name },
                    indexes: Set(type.indexes.map { $0.map(SchemaWords.name) }),
                    uniqueKeys: Set(type.uniqueKeys.map { $0.map(SchemaWords.name) }),
                    grants: (type.grants.isEmpty ? Schema.defaultGrants(of: name) : type.grants)
                        .sorted { $0.key < $1.key }.map { Grant($0.value, to: $0.key) })
            })
    }

    /// Returns the document with the system fields of each record type, also those without options.
    ///
    /// A text that Apple's tool exports has a line for each: `"___createTime" TIMESTAMP`.
    public func addingSystemFields() -> SchemaDocument {
        var document = self
        for index in document.recordTypes.indices {
            let known = Set(document.recordTypes[index].fields.map(\.name))
            let missing = SchemaWords.systemNames.filter { !$0.isAddition && !known.contains($0.name) }
            let fields = missing.map { Field(name: $0.name, type: DataType($0.type)) }
            document.recordTypes[index].fields = (fields + document.recordTypes[index].fields)
                .sorted { $0.name.hasPrefix("_") && ($0.name < $1.name || !$1.name.hasPrefix("_")) }
        }
        return document
    }

    /// The roles, record types, fields, indexes, unique values, grants and delete rules, without what a schema cannot say.
    ///
    /// NUMBER becomes DOUBLE, and a system field without options is left out. ``unenforcedParts`` lists what is
    /// lost.
    public var schema: Schema {
        var schema = Schema(recordTypes: [:], roles: Set(roles))
        for type in recordTypes {
            var content = Schema.RecordType(indexes: Set(type.indexes.map { $0.compactMap(SchemaWords.key) }))
            content.uniqueKeys = Set(type.uniqueKeys.map { $0.compactMap(SchemaWords.key) })
            for grant in type.grants { content.grants[grant.role, default: []].formUnion(grant.permissions) }
            if content.grants == Schema.defaultGrants(of: type.name) { content.grants = [:] }
            for field in type.fields {
                guard let key = SchemaWords.key(of: field.name) else { continue }
                if SystemField(rawValue: key) != nil, field.options.isEmpty { continue }
                content[key] = Schema.Field(field.type.fieldType, field.options, onDelete: field.deleteRule)
            }
            schema[type.name] = content
        }
        return schema
    }

    /// The parts of the document that a store does not enforce, each in a few words, such as `ON DELETE DENY of Items.list`.
    ///
    /// They stay in the document, and a deployment of its ``schema`` has no effect on them. Delete rules are among them: a strict
    /// container with the schema enforces them.
    public var unenforcedParts: [String] {
        recordTypes.flatMap(\.unenforcedParts)
    }
}

extension SchemaDocument.RecordType {
    fileprivate var unenforcedParts: [String] {
        var parts: [String] = []
        for field in fields {
            if let rule = field.deleteRule { parts.append("\(rule.clause) of \(name).\(field.name)") }
            if SchemaWords.key(of: field.name) == nil, !field.options.isEmpty {
                parts.append("\(field.options) of \(name).\(field.name)")
            }
        }
        return parts
    }
}

extension Reference.Action {
    /// The clause of the schema language that declares the rule.
    var clause: String {
        let word = SchemaWords.deleteRules.first { $0.action == self }?.word ?? ""
        return "ON DELETE \(word)"
    }
}

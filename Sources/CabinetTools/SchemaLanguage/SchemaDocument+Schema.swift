public import Cabinet

extension SchemaDocument {
    /// Creates the document of a schema.
    ///
    /// Record types and fields are sorted by name, and system fields come first. Each type has the grants of CloudKit's default, which
    /// are also Cabinet's rules: everyone reads, every user creates, and the creator writes.
    ///
    /// - Parameter schema: The schema.
    public init(_ schema: Schema) {
        self.init(
            recordTypes: schema.recordTypes.sorted { $0.key < $1.key }.map { name, type in
                let fields = type.fields.map { key, field in
                    Field(
                        name: SchemaWords.name(of: key), type: DataType(field.type), options: field.options,
                        deleteRule: field.deleteRule)
                }
                return RecordType(
                    name: name, fields: fields.sorted { $0.name < $1.name },
                    indexes: Set(type.indexes.map { $0.map(SchemaWords.name) }), grants: Grant.defaults(of: name))
            })
    }

    /// The record types, fields, indexes and delete rules, without what a schema cannot say.
    ///
    /// ENCRYPTED is left out, NUMBER becomes DOUBLE, and a system field without options is left out. ``unenforcedParts`` lists what is
    /// lost.
    public var schema: Schema {
        var schema = Schema()
        for type in recordTypes {
            var content = Schema.RecordType(indexes: Set(type.indexes.map { $0.compactMap(SchemaWords.key) }))
            for field in type.fields {
                guard let key = SchemaWords.key(of: field.name) else { continue }
                if SystemField(rawValue: key) != nil, field.options.isEmpty { continue }
                content[key] = Schema.Field(field.type.fieldType, field.options, onDelete: field.deleteRule)
            }
            schema[type.name] = content
        }
        return schema
    }

    /// The parts of the document that a store does not enforce, each in a few words, such as `UNIQUE (name) of Items`.
    ///
    /// They stay in the document, and a deployment of its ``schema`` has no effect on them. Delete rules are among them: a strict
    /// container with the schema enforces them.
    public var unenforcedParts: [String] {
        roles.map { "CREATE ROLE \($0)" } + recordTypes.flatMap(\.unenforcedParts)
    }
}

extension SchemaDocument.Grant {
    /// The grants that Cabinet's rules have without any declaration.
    static func defaults(of recordType: Record.RecordType) -> [Self] {
        let grants = [Self([.write], to: "_creator"), Self([.create], to: "_icloud"), Self([.read], to: "_world")]
        // The container itself creates the users' own records.
        return recordType == "Users" ? grants.filter { $0.role != "_icloud" } : grants
    }
}

extension SchemaDocument.RecordType {
    fileprivate var unenforcedParts: [String] {
        var parts: [String] = []
        for field in fields {
            if field.type.spelling == .encrypted { parts.append("ENCRYPTED of \(name).\(field.name)") }
            if let rule = field.deleteRule { parts.append("\(rule.clause) of \(name).\(field.name)") }
            if SchemaWords.key(of: field.name) == nil, !field.options.isEmpty {
                parts.append("\(field.options) of \(name).\(field.name)")
            }
        }
        parts += uniqueKeys.sorted { $0.lexicographicallyPrecedes($1) }.map {
            "UNIQUE (\($0.joined(separator: ", "))) of \(name)"
        }
        if grants.isEmpty { return parts }
        let defaults = Self.pairs(of: SchemaDocument.Grant.defaults(of: name))
        let pairs = Self.pairs(of: grants)
        parts += pairs.filter { !defaults.contains($0) }.map { "GRANT \($0.permission) TO \($0.role) of \(name)" }
        parts += defaults.filter { !pairs.contains($0) }.map { "\(name) without GRANT \($0.permission) TO \($0.role)" }
        return parts
    }

    private struct Pair: Hashable {
        let permission: String
        let role: String
    }

    private static func pairs(of grants: [SchemaDocument.Grant]) -> [Pair] {
        var seen: Set<Pair> = []
        return grants.flatMap { grant in
            grant.permissions.map(\.rawValue).sorted().map { Pair(permission: $0, role: grant.role) }
        }.filter { seen.insert($0).inserted }
    }
}

extension Reference.Action {
    /// The clause of the schema language that declares the rule.
    var clause: String {
        let word = SchemaWords.deleteRules.first { $0.action == self }?.word ?? ""
        return "ON DELETE \(word)"
    }
}

public import Cabinet

extension SchemaDocument {
    /// Returns the document as a text, which parses to an equal document.
    ///
    /// - Parameter dialect: The language of the text; by default with Cabinet's additions. A text with additions begins with a comment that
    ///   says so.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the dialect is CloudKit's and the document has additions.
    public func text(in dialect: Dialect = .cabinet) throws(CabinetError) -> String {
        if dialect == .cloudKit, let addition = additions.first {
            throw CabinetError(
                .invalidArguments,
                "\(addition) is Cabinet's addition, which CloudKit's schema language does not have. Remove it, or print the text with additions."
            )
        }
        return description
    }

    /// The parts that only Cabinet's dialect has, each in a few words.
    public var additions: [String] {
        recordTypes.flatMap { type in
            let fields = type.fields.flatMap { field in
                let isAddition = SchemaWords.systemName(field.name)?.isAddition ?? false
                return (isAddition ? ["The field \(field.name) of \(type.name)"] : [])
                    + (field.deleteRule.map { ["\($0.clause) of \(type.name).\(field.name)"] } ?? [])
            }
            return fields + type.uniqueKeys.sortedNames.map { "UNIQUE \($0) of \(type.name)" }
                + type.indexes.sortedNames.map { "INDEX \($0) of \(type.name)" }
        }
    }
}

extension SchemaDocument: CustomStringConvertible {
    /// The document as a text, with Cabinet's additions.
    public var description: String {
        let comment =
            additions.isEmpty
            ? "" : "// INDEX, UNIQUE, ON DELETE and ___parent are Cabinet's additions, which CloudKit refuses.\n"
        let parts = roles.map { "    CREATE ROLE \(SchemaWords.written($0));\n" } + recordTypes.map(\.text)
        return comment + "DEFINE SCHEMA\n" + parts.map { "\n" + $0 }.joined()
    }
}

extension SchemaDocument.RecordType {
    fileprivate var text: String {
        let width = fields.map { SchemaWords.written($0.name).count }.max() ?? 0
        var items = fields.map { field in
            let name = SchemaWords.written(field.name)
            let words =
                [name + String(repeating: " ", count: width - name.count), field.type.description]
                + (field.options.isEmpty ? [] : [field.options.description])
                + (uniqueKeys.contains([field.name]) ? ["UNIQUE"] : [])
                + (field.deleteRule.map { [$0.clause] } ?? [])
            return words.joined(separator: " ")
        }
        items += uniqueKeys.subtracting(fields.map { [$0.name] }).sortedNames.map { "UNIQUE \($0)" }
        items += indexes.sortedNames.map { "INDEX \($0)" }
        items += grants.map { grant in
            let permissions = SchemaDocument.Permission.allCases.filter(grant.permissions.contains).map(\.rawValue)
            return "GRANT \(permissions.joined(separator: ", ")) TO \(SchemaWords.written(grant.role))"
        }
        let header = "    RECORD TYPE \(SchemaWords.written(name)) ("
        if items.isEmpty { return header + ");\n" }
        return header + "\n" + items.map { "        " + $0 }.joined(separator: ",\n") + "\n    );\n"
    }
}

extension Set<[Record.FieldKey]> {
    /// The lists of names as they are written, in parentheses and in a stable order.
    fileprivate var sortedNames: [String] {
        sorted { $0.lexicographicallyPrecedes($1) }
            .map { "(" + $0.map(SchemaWords.written).joined(separator: ", ") + ")" }
    }
}

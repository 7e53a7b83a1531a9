import Cabinet

/// The parser of the schema language.
///
/// The language does not nest, so the parser uses no recursion. Each part is read once.
struct SchemaParser {
    private(set) var scanner: SchemaScanner
    let dialect: SchemaDocument.Dialect

    /// The offsets of the fields and types, for messages about their meaning.
    var fieldOffsets: [Record.FieldKey: Int] = [:]

    init(_ text: String, dialect: SchemaDocument.Dialect) throws(CabinetError) {
        scanner = try SchemaScanner(text)
        self.dialect = dialect
    }

    mutating func document() throws(CabinetError) -> SchemaDocument {
        try expect("DEFINE", "A schema begins with DEFINE SCHEMA")
        try expect("SCHEMA", "A schema begins with DEFINE SCHEMA")
        var document = SchemaDocument()
        var roles: Set<String> = []
        var types: Set<String> = []
        var grantedRoles: [(role: String, offset: Int)] = []
        while scanner.token != .end {
            let offset = scanner.start
            if try take("CREATE") {
                try expect("ROLE", "Expected CREATE ROLE")
                let nameOffset = scanner.start
                let name = try name("a role")
                guard roles.insert(name).inserted else {
                    throw error("The role '\(name)' exists already.", at: nameOffset)
                }
                document.roles.append(name)
            } else if try take("RECORD") {
                try expect("TYPE", "Expected RECORD TYPE")
                let nameOffset = scanner.start
                let type = try recordType(&grantedRoles)
                guard types.insert(type.name).inserted else {
                    throw error("The record type '\(type.name)' exists already.", at: nameOffset)
                }
                try checkMeaning(of: type, at: nameOffset)
                document.recordTypes.append(type)
            } else {
                throw mistaken("CREATE ROLE or RECORD TYPE", among: ["CREATE", "RECORD"], at: offset)
            }
            guard try take(";") else { throw unexpected("';' after the definition") }
        }
        for (role, offset) in grantedRoles where !roles.contains(role) && !SchemaWords.systemRoles.contains(role) {
            let advice = "Create it with CREATE ROLE \(role);, or use \"_world\", \"_icloud\" or \"_creator\"."
            throw error("There is no role '\(SchemaScanner.Token.shortened(role))'. \(advice)", at: offset)
        }
        return document
    }

    private mutating func recordType(
        _ grantedRoles: inout [(role: String, offset: Int)]
    ) throws(CabinetError) -> SchemaDocument.RecordType {
        var type = SchemaDocument.RecordType(name: try name("a record type"))
        fieldOffsets = [:]
        guard try take("(") else { throw unexpected("'(' after the name of the record type") }
        if try take(")") { return type }
        var names: Set<String> = []
        repeat {
            if try take("GRANT") {
                let grant = try grant()
                grantedRoles.append((grant.grant.role, grant.offset))
                type.grants.append(grant.grant)
            } else if let word = additionWord {
                try refuseAddition(word)
                try advance()
                let offset = scanner.start
                let keys = try fieldNames()
                let isNew = word == "INDEX" ? type.indexes.insert(keys).inserted : type.uniqueKeys.insert(keys).inserted
                guard isNew else { throw error("This \(word) is declared twice.", at: offset) }
            } else {
                let offset = scanner.start
                let field = try field(of: &type)
                guard names.insert(field.name).inserted else {
                    throw error("The field '\(field.name)' is declared twice in \(type.name).", at: offset)
                }
                fieldOffsets[SchemaWords.key(of: field.name) ?? field.name] = offset
                type.fields.append(field)
            }
        } while try take(",")
        guard try take(")") else { throw unexpected("',' or ')' after a field or grant") }
        return type
    }

    private mutating func grant() throws(CabinetError) -> (grant: SchemaDocument.Grant, offset: Int) {
        var permissions: Set<SchemaDocument.Permission> = []
        repeat {
            let offset = scanner.start
            guard case .word(let word) = scanner.token,
                let permission = SchemaDocument.Permission(rawValue: word.uppercased())
            else {
                throw mistaken(
                    "READ, CREATE or WRITE after GRANT. The name of a field 'grant' needs double quotes",
                    among: SchemaDocument.Permission.allCases.map(\.rawValue), at: offset)
            }
            guard permissions.insert(permission).inserted else { throw error("\(word) is granted twice.", at: offset) }
            try advance()
        } while try take(",")
        try expect("TO", "Expected TO after the permissions")
        let offset = scanner.start
        return (SchemaDocument.Grant(permissions, to: try name("a role", system: SchemaWords.systemRoles)), offset)
    }

    /// Checks what the grammar does not say, such as SEARCHABLE numbers, and reports it where the field begins.
    private func checkMeaning(of type: SchemaDocument.RecordType, at offset: Int) throws(CabinetError) {
        let names = Set(type.fields.map(\.name)).union(SchemaWords.systemFieldNames)
        for key in type.uniqueKeys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            for name in key where !names.contains(name) {
                throw error("UNIQUE names '\(name)', which is not a field of \(type.name).", at: offset)
            }
        }
        do throws(CabinetError) {
            // The roles of grants are checked at the end, because they can be created after the type.
            let roles = type.grants.map(\.role).filter { !SchemaWords.systemRoles.contains($0) }
            try SchemaDocument(roles: roles, recordTypes: [type]).schema.validate()
        } catch {
            var located = self.error(error.message, at: error.fieldKey.flatMap { fieldOffsets[$0] } ?? offset)
            located.fieldKey = error.fieldKey
            throw located
        }
    }
}

extension SchemaParser {
    mutating func advance() throws(CabinetError) { try scanner.advance() }

    /// Consumes a keyword or sign, if it is next.
    mutating func take(_ text: String) throws(CabinetError) -> Bool {
        guard isNext(text) else { return false }
        try advance()
        return true
    }

    func isNext(_ text: String) -> Bool {
        switch scanner.token {
        case .word(let word): word.utf8.count == text.utf8.count && word.uppercased() == text
        case .sign(let sign): String(sign) == text
        case .quoted, .end: false
        }
    }

    mutating func expect(_ keyword: String, _ expectation: String) throws(CabinetError) {
        guard try take(keyword) else {
            throw error("\(expectation), and this is \(scanner.token.shown).", at: scanner.start)
        }
    }

    func unexpected(_ expectation: String) -> CabinetError {
        error("Expected \(expectation), and this is \(scanner.token.shown).", at: scanner.start)
    }

    /// Returns the error for a word that is probably a misspelled keyword.
    func mistaken(_ expectation: String, among keywords: [String], at offset: Int) -> CabinetError {
        var advice = ""
        if case .word(let word) = scanner.token, let nearest = keywords.nearest(to: word) {
            advice = " Did you mean \(nearest)?"
        }
        return error("Expected \(expectation), and this is \(scanner.token.shown).\(advice)", at: offset)
    }

    func error(_ message: String, at offset: Int) -> CabinetError { scanner.error(message, at: offset) }
}

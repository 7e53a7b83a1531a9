import Cabinet

extension SchemaParser {
    /// Reads a field: its name, type, options and delete rule.
    mutating func field(of type: inout SchemaDocument.RecordType) throws(CabinetError) -> SchemaDocument.Field {
        let offset = scanner.start
        let name = try name("a field", system: SchemaWords.systemFieldNames)
        let system = SchemaWords.systemName(name)
        if SystemField(rawValue: name) != nil {
            let advice = "To declare options of it, use \"\(SchemaWords.name(of: name))\"."
            throw error(
                "'\(name)' is a property of every record, and no field can have that name. \(advice)", at: offset)
        }
        if system?.isAddition == true { try refuseAddition("the system field '\(name)'", at: offset) }
        let typeOffset = scanner.start
        var field = SchemaDocument.Field(name: name, type: try dataType())
        if let system, system.type != field.type.fieldType || field.type.spelling != .plain {
            throw error(
                "The system field '\(name)' is of type \(system.type), and this is \(field.type).", at: typeOffset)
        }
        while case .word(let word) = scanner.token {
            let offset = scanner.start
            let keyword = word.uppercased()
            if let option = SchemaWords.options.first(where: { $0.word == keyword })?.option {
                guard !field.options.contains(option) else { throw error("\(keyword) is declared twice.", at: offset) }
                if field.type.fieldType.isEncrypted {
                    throw error("An encrypted field has no index, so it cannot be \(keyword).", at: offset)
                }
                field.options.insert(option)
                try advance()
            } else if keyword == "UNIQUE" {
                try refuseAddition(keyword)
                guard type.uniqueKeys.insert([name]).inserted else {
                    throw error("UNIQUE is declared twice.", at: offset)
                }
                try advance()
            } else if keyword == "ON" {
                try refuseAddition("ON DELETE")
                field.deleteRule = try deleteRule(of: field)
            } else {
                throw mistaken(
                    "an option such as QUERYABLE, ',' or ')'",
                    among: SchemaWords.options.map(\.word) + ["UNIQUE", "ON"], at: offset)
            }
        }
        return field
    }

    private mutating func deleteRule(of field: SchemaDocument.Field) throws(CabinetError) -> Reference.Action {
        let offset = scanner.start
        if field.deleteRule != nil { throw error("ON DELETE is declared twice.", at: offset) }
        if field.type.fieldType.scalar != .reference {
            throw error("Only references have a rule for deletions, and '\(field.name)' is \(field.type).", at: offset)
        }
        try advance()
        try expect("DELETE", "Expected ON DELETE")
        for (word, action) in SchemaWords.deleteRules where try take(word) { return action }
        let words = SchemaWords.deleteRules.map(\.word)
        throw mistaken("NONE, DELETE_SELF, NULLIFY or DENY after ON DELETE", among: words, at: scanner.start)
    }

    private mutating func dataType() throws(CabinetError) -> SchemaDocument.DataType {
        guard try take("LIST") else { return try primitive() }
        guard try take("<") else { throw unexpected("'<' after LIST, as in LIST<STRING>") }
        if isNext("LIST") { throw error("A list cannot contain lists.", at: scanner.start) }
        var type = try primitive()
        let scalar = (type.fieldType.decrypted ?? type.fieldType).scalar
        let list = FieldType(scalar, isList: true)
        type.fieldType = type.fieldType.isEncrypted ? list.encrypted ?? list : list
        guard try take(">") else { throw unexpected("'>' after the type of the list's elements") }
        return type
    }

    private mutating func primitive() throws(CabinetError) -> SchemaDocument.DataType {
        if try take("ENCRYPTED") {
            let offset = scanner.start
            let scalar = try scalar()
            guard let type = FieldType(scalar).encrypted else {
                throw error(
                    "\(scalar.rawValue) cannot be ENCRYPTED. CloudKit encrypts assets without this word.", at: offset)
            }
            return SchemaDocument.DataType(type)
        }
        guard try take("NUMBER") else { return SchemaDocument.DataType(FieldType(try scalar())) }
        guard try take("PREFERRED") else { return SchemaDocument.DataType(.double, spelling: .number) }
        try expect("AS", "Expected PREFERRED AS")
        let offset = scanner.start
        let scalar = try scalar()
        guard scalar == .int64 || scalar == .double else {
            throw error("A number is preferred as INT64 or DOUBLE, and this is \(scalar.rawValue).", at: offset)
        }
        return SchemaDocument.DataType(FieldType(scalar), spelling: .preferredNumber)
    }

    private mutating func scalar() throws(CabinetError) -> FieldType.Scalar {
        if case .word(let word) = scanner.token, let scalar = FieldType.Scalar(rawValue: word.uppercased()) {
            try advance()
            return scalar
        }
        let words = FieldType.Scalar.allCases.map(\.rawValue) + ["LIST", "NUMBER", "ENCRYPTED"]
        throw mistaken("a data type such as STRING", among: words, at: scanner.start)
    }

    /// Reads the names of an index or a unique key, in parentheses; a path into JSON is in double quotes.
    mutating func fieldNames() throws(CabinetError) -> [Record.FieldKey] {
        guard try take("(") else { throw unexpected("'('") }
        var names: [Record.FieldKey] = []
        repeat {
            if case .quoted(let path) = scanner.token, IndexedPath(path) != nil {
                names.append(path)
                try advance()
                continue
            }
            names.append(try name("a field", system: SchemaWords.systemFieldNames))
        } while try take(",")
        guard try take(")") else { throw unexpected("',' or ')' after the name of a field") }
        return names
    }

    /// The keyword of the addition that begins here; `nil` if a field of that name does.
    var additionWord: String? {
        guard case .word(let word) = scanner.token, ["INDEX", "UNIQUE"].contains(word.uppercased()) else { return nil }
        var following = scanner
        guard (try? following.advance()) != nil, following.token == .sign("(") else { return nil }
        return word.uppercased()
    }

    func refuseAddition(_ word: String, at offset: Int? = nil) throws(CabinetError) {
        guard dialect == .cloudKit else { return }
        throw error(
            "\(word) is Cabinet's addition, which CloudKit's schema language does not have. Remove it.",
            at: offset ?? scanner.start)
    }

    /// Reads a name.
    ///
    /// - Parameters:
    ///   - kind: The kind of the named thing, for messages.
    ///   - system: The names that begin with an underscore and are permitted.
    mutating func name(_ kind: String, system: Set<String> = []) throws(CabinetError) -> String {
        let offset = scanner.start
        let name: String
        switch scanner.token {
        case .word(let word):
            if word.hasPrefix("_") {
                throw error(
                    "Names that begin with an underscore are the system's; write \"\(shown(word))\" in double quotes.",
                    at: offset)
            }
            if SchemaWords.reserved.contains(word.lowercased()) {
                throw error(
                    "'\(word)' is a reserved word; write \"\(word)\" in double quotes to use it as a name.", at: offset)
            }
            name = word
        case .quoted(let quoted): name = quoted
        default: throw unexpected("the name of \(kind)")
        }
        if name.hasPrefix("_"), !system.contains(name) {
            let names =
                system.isEmpty ? "none is permitted here" : "expected one of \(system.sorted().joined(separator: ", "))"
            throw error("'\(shown(name))' begins with an underscore, as system names do; \(names).", at: offset)
        }
        guard system.contains(name) || Self.isIdentifier(name) else {
            let expectation = "expected an ASCII letter, then letters, digits and underscores, at most 255"
            throw error("'\(shown(name))' cannot be the name of \(kind); \(expectation).", at: offset)
        }
        try advance()
        return name
    }

    private func shown(_ name: String) -> String { SchemaScanner.Token.shortened(name) }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 255 else { return false }
        func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte) || (97...122).contains(byte) }
        return isLetter(first) && name.utf8.allSatisfy { isLetter($0) || (48...57).contains($0) || $0 == 95 }
    }
}

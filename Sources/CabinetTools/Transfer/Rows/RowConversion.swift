package import Cabinet
package import Foundation

/// Converts comma-separated values, or JSON objects as other programs write them, to the lines that an import reads.
///
/// All rows are checked before the first line is written. Memory holds one row. Equal files give equal lines, apart from days such as
/// `today`, so an interrupted import of them continues.
package struct RowConversion {
    private let file: URL
    private let recordType: Record.RecordType
    private let zoneID: RecordZone.ID
    private let timeZone: TimeZone
    private let isCSV: Bool
    private var type: Schema.RecordType
    /// The names of the columns, with the positions of those that have values; empty for JSON.
    private var columns: [String] = []
    /// The fields that the schema does not have, with the types of their values.
    package private(set) var newFields: [Record.FieldKey: FieldType] = [:]
    /// The names in the file of values that are passed over: those that the store assigns, and assets without files.
    package private(set) var ignoredNames: Set<String> = []
    /// The fields with assets of another store, without the files that have their bytes.
    package private(set) var fieldsWithoutFiles: Set<Record.FieldKey> = []

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - file: A file of comma-separated values, if its name ends in `.csv`, and otherwise of JSON objects.
    ///   - recordType: The type of the records.
    ///   - schema: The schema of the database.
    ///   - zoneID: The zone of the records; `nil` for the default zone.
    ///   - timeZone: The time zone of dates without one.
    package init(
        of file: URL, as recordType: Record.RecordType, in schema: Schema, zoneID: RecordZone.ID?,
        timeZone: TimeZone = .current
    ) {
        self.file = file
        self.recordType = recordType
        self.zoneID = zoneID ?? .default
        self.timeZone = timeZone
        isCSV = Self.isTable(file)
        type = schema[recordType]
    }

    /// Whether a file has comma-separated values.
    package static func isTable(_ file: URL) -> Bool { file.pathExtension.lowercased() == "csv" }

    /// Checks the file, and writes the lines to another one.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the line of the first mistake, and its column if it has one.
    package mutating func run(to target: URL) throws {
        do {
            var inference = FieldInference()
            try forEachRow { conversion, row in try conversion.infer(from: row, &inference) }
            newFields = inference.fields
            for (key, field) in newFields { type[key] = Schema.Field(field) }
            try forEachRow { conversion, row in _ = try conversion.line(of: row, number: 0) }
            guard
                FileManager.default.createFile(
                    atPath: target.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CabinetError(.permissionFailure, "The file \(target.path) cannot be written.") }
            let output = try FileHandle(forWritingTo: target)
            defer { try? output.close() }
            var (number, lineCount, lines) = (0, 0, "")
            try forEachRow { conversion, row in
                number += 1
                guard let line = try conversion.line(of: row, number: number) else { return }
                // Empty lines keep the line numbers of the file, which the import prints.
                let gap = max(row.line - 1 - lineCount, 0)
                lines += String(repeating: "\n", count: gap) + "\(line)\n"
                lineCount += gap + 1
                if lines.utf8.count < 1 << 18 { return }
                try output.write(contentsOf: Data(lines.utf8))
                lines = ""
            }
            try output.write(contentsOf: Data(lines.utf8))
        } catch let mistake as RowMistake {
            let position = "\(mistake.line):" + (mistake.column.map { "\($0):" } ?? "")
            throw CabinetError(.invalidArguments, "\(file.relativePath):\(position) \(mistake.message)")
        }
    }

    private mutating func forEachRow(_ body: (inout Self, FileRow) throws -> Void) throws {
        let reader = try RowReader(file, isCSV: isCSV)
        if isCSV {
            guard let header = try reader.next() else {
                throw RowMistake(line: 1, message: "Expected a line with the names of the columns.")
            }
            try readHeader(try CSVRow(header))
        }
        while let row = try reader.next() {
            if Task.isCancelled { throw CabinetError(.operationCancelled, "Stopped; no record is saved.") }
            try body(&self, row)
        }
    }
}

extension RowConversion {
    private static let nameKeys: Set<String> = ["recordName", "___recordName"]

    /// The names of an exported record's values that are not fields; the store assigns most of them.
    private static let systemKeys: Set<String> = [
        "recordName", "___recordName", "recordType", "zone", "___zone", "parent", "changeTag", "created", "createdBy",
        "modified", "modifiedBy", "___createTime", "___createdBy", "___modTime",
        "___modifiedBy", "___etag", "___recordID", "recordID", "creationDate", "creatorUserRecordID",
        "modificationDate", "lastModifiedUserRecordID", "recordChangeTag",
    ]

    /// A value of a row, with its position.
    private struct Value {
        let key: String
        let json: JSONValue
        let isField: Bool
        let line: Int
        var column: Int?
    }

    private mutating func readHeader(_ header: CSVRow) throws(RowMistake) {
        columns = []
        var known: Set<String> = []
        for cell in header.cells {
            let key = Self.nameKeys.contains(cell.text) ? "recordName" : cell.text
            var mistake = isField(key) ? NameRule.fieldKey.violation(in: key)?.message : nil
            if key.isEmpty { mistake = "A column has no name." }
            if !known.insert(key).inserted { mistake = "The column '\(key)' appears twice." }
            if let mistake { throw RowMistake(line: cell.line, column: cell.column, message: mistake) }
            columns.append(key)
        }
    }

    /// Whether a name is that of a field.
    ///
    /// The schema may have fields with some names of exported values.
    private func isField(_ key: String) -> Bool {
        if !Self.systemKeys.contains(key) { return true }
        return !Self.nameKeys.contains(key) && SystemField(rawValue: key) == nil && type[key] != nil
    }

    /// Returns the values of a row; none for an empty line.
    private func values(of row: FileRow) throws(RowMistake) -> [Value] {
        if !isCSV { return try members(of: row) }
        let table = try CSVRow(row)
        if table.isEmpty { return [] }
        guard table.cells.count == columns.count else {
            throw RowMistake(
                line: row.line,
                message:
                    "The row has \(table.cells.count.counted("value")); expected \(columns.count), as many as columns.")
        }
        return zip(columns, table.cells).map { key, cell in
            let text = CSV.value(of: cell.text)
            return Value(
                key: key, json: text.isEmpty ? .null : .string(text), isField: isField(key), line: cell.line,
                column: cell.column)
        }
    }

    /// Returns the members of a JSON object, which may be a record as the program prints it.
    private func members(of row: FileRow) throws(RowMistake) -> [Value] {
        func value(_ member: JSONValue.Member, _ isField: Bool) -> Value {
            Value(key: member.key, json: member.value, isField: isField, line: row.line)
        }
        do throws(CabinetError) {
            guard case .object(let members) = try JSONValue(record: row.text) else { return [] }
            guard case .object(let fields)? = members.first(where: { $0.key == "fields" })?.value else {
                return members.map { value($0, isField($0.key)) }
            }
            let others = members.filter { $0.key != "fields" }.map { value($0, !Self.systemKeys.contains($0.key)) }
            let keys = Set(fields.map(\.key))
            if let twice = others.first(where: { $0.isField && keys.contains($0.key) }) {
                throw CabinetError(
                    .invalidArguments, "The value of '\(twice.key)' appears twice, in 'fields' and beside it.")
            }
            return others + fields.map { value($0, true) }
        } catch {
            throw RowMistake(line: row.line, message: error.message)
        }
    }

    private mutating func infer(from row: FileRow, _ inference: inout FieldInference) throws(RowMistake) {
        for value in try values(of: row) where value.isField && type[value.key] == nil && !lacksFile(value) {
            if isCSV {
                inference.add(text: value.json.string ?? "", of: value.key)
            } else if !inference.add(value.json, of: value.key) {
                throw RowMistake(
                    line: row.line,
                    message: "The value of '\(value.key)' is of another type than those of the rows before it.")
            }
        }
    }

    /// Returns a row as the line of a record; `nil` for an empty line.
    private mutating func line(of row: FileRow, number: Int) throws -> JSONValue? {
        var (name, parent, fields): (String?, JSONValue?, [JSONValue.Member]) = (nil, nil, [])
        func text(_ value: JSONValue) -> String? { value.string ?? (value == .null ? nil : value.description) }
        let values = try values(of: row)
        if isCSV, values.isEmpty { return nil }
        for value in values {
            switch value.key {
            case let key where value.isField && lacksFile(value):
                ignoredNames.insert(key)
                fieldsWithoutFiles.insert(key)
            case let key where value.isField:
                do {
                    fields.append(JSONValue.Member(key: key, value: try self.value(value.json, of: key)))
                } catch {
                    throw RowMistake(line: value.line, column: value.column, message: error.message)
                }
            case let key where Self.nameKeys.contains(key): name = text(value.json)
            case "parent": parent = value.json == .null ? nil : value.json
            case "recordType" where text(value.json) == recordType || value.json == .null: break
            case "recordType":
                throw RowMistake(
                    line: value.line, column: value.column,
                    message: "The row is of the type \(value.json), not \(recordType).")
            case "zone", "___zone":
                if text(value.json) ?? zoneID.zoneName != zoneID.zoneName { ignoredNames.insert(value.key) }
            default: ignoredNames.insert(value.key)
            }
        }
        let recordID = RecordID(recordName: name ?? self.name(of: row, number), zoneID: zoneID)
        var members = [
            JSONValue.Member(key: "recordName", value: .string(recordID.recordName)),
            JSONValue.Member(key: "recordType", value: .string(recordType)),
            JSONValue.Member(key: "updates", value: .bool(true)),
        ]
        if zoneID != .default { members.append(.init(key: "zone", value: .string(zoneID.zoneName))) }
        if zoneID.ownerName != RecordZone.ID.defaultOwnerName {
            members.append(.init(key: "owner", value: .string(zoneID.ownerName)))
        }
        if let parent { members.append(.init(key: "parent", value: parent)) }
        let line = JSONValue.object(members + [JSONValue.Member(key: "fields", value: .object(fields))])
        do {
            // The import would find the same mistake later, and name another line.
            var record = Record(recordType: recordType, recordID: recordID)
            try RecordJSON.fill(&record, from: line, files: .verified(in: file.deletingLastPathComponent()))
            if let violation = ValueRule.violation(in: record) { throw violation }
            // The account's own record, the only one of this type, has a name of another kind.
            if recordType != "Users", let violation = NameRule.recordName.violation(in: recordID.recordName) {
                throw violation
            }
            for value in values {
                if let mistake = mistake(in: value, filling: record.fields[value.key]) { throw mistake }
            }
        } catch let error as CabinetError {
            throw RowMistake(line: row.line, message: error.message)
        }
        return line
    }

    /// Whether the value is an asset that names no file, as `query` prints it, or a list with one.
    private func lacksFile(_ value: Value) -> Bool {
        if let field = type[value.key]?.type, field.scalar != .asset { return false }
        guard isCSV else { return value.json.lacksFile }
        guard let text = value.json.string, text.hasPrefix("{\"asset\"") || text.hasPrefix("[{\"asset\"") else {
            return false
        }
        return (try? JSONValue(parsing: text))?.lacksFile == true
    }

    /// Returns the mistake that a save would refuse: a value of another type than its field's.
    private func mistake(in value: Value, filling filled: FieldValue?) -> RowMistake? {
        guard value.isField, let filled, let field = type[value.key]?.type, !filled.fits(field),
            filled.converted(to: field) == nil
        else { return nil }
        let isNumeric = Set([filled.fieldType.scalar, field.scalar]) == [.int64, .double]
        let reason = isNumeric ? ", and the field cannot represent it exactly" : ""
        return RowMistake(
            line: value.line, column: value.column,
            message: "The field '\(value.key)' of \(recordType) holds \(field) values; "
                + "the value \(value.json.description.prefix(60)) is of type \(filled.fieldType)\(reason).")
    }

    /// Returns a name for a record without one, which is the same in each import of the file.
    ///
    /// Equal rows of two types are two records.
    private func name(of row: FileRow, _ number: Int) -> String {
        let text = "\(recordType) \(number) \(row.text.trimmingCharacters(in: .newlines))"
        return String(Asset.Checksum(of: Data(text.utf8)).description.prefix(32))
    }

    /// Returns a value in the form of its field.
    private func value(_ value: JSONValue, of key: Record.FieldKey) throws(CabinetError) -> JSONValue {
        guard let field = type[key]?.type else { return value }
        if field.scalar == .double { return Self.double(try typed(value, of: key, as: field)) }
        return try typed(value, of: key, as: field)
    }

    /// Returns the value with whole numbers as doubles, which JSON does not distinguish.
    private static func double(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(double))
        case .integer(let number): Double(exactly: number).map { ["double": .string("\($0)")] } ?? value
        case .number(let number): ["double": .string("\(number)")]
        default: value
        }
    }

    private func typed(
        _ value: JSONValue, of key: Record.FieldKey, as field: FieldType
    ) throws(CabinetError) -> JSONValue {
        switch (field, value) {
        case (_, .null): return .null
        case (.string, .string): return value
        case (.string, .object), (.string, .array): return .string(value.description)
        case (_, .array(let elements)) where field.isList && elements.isEmpty:
            return ["list": .string(field.scalar.rawValue)]
        case (_, .string(let text)):
            // A ciphertext is read as it was printed, and no other text can be one.
            if field.isEncrypted, let json = try? JSONValue(parsing: text), json["encrypted"] != nil { return json }
            return try JSONValue(typed: text, of: key, as: field, timeZone: timeZone)
        default: return try value.fitted(to: field, of: key, timeZone: timeZone)
        }
    }
}

extension JSONValue {
    /// Whether the value is an asset without a file, as records without their files are printed, or a list with one.
    fileprivate var lacksFile: Bool {
        switch self {
        case .array(let elements): elements.contains(where: \.lacksFile)
        case .object: self["asset"]?.string?.isEmpty == false && self["size"] != nil && self["file"]?.string == nil
        default: false
        }
    }
}

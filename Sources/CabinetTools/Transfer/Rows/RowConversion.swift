package import Cabinet
package import Foundation

/// Converts comma-separated values, or JSON objects as other programs write them, to the lines that an import reads.
///
/// All rows are checked before the first line is written. Memory holds one row. Equal files give equal lines, so an interrupted
/// import of them continues.
package struct RowConversion {
    private let file: URL
    private let recordType: Record.RecordType
    private let zoneID: RecordZone.ID?
    private let isCSV: Bool
    private var type: Schema.RecordType
    /// The names of the columns, with the positions of those that have values; empty for JSON.
    private var columns: [String] = []
    /// The fields that the schema does not have, with the types of their values.
    package private(set) var newFields: [Record.FieldKey: FieldType] = [:]
    /// The names in the file of values that the store assigns, which are passed over.
    package private(set) var ignoredNames: Set<String> = []

    /// Creates a conversion.
    ///
    /// - Parameters:
    ///   - file: A file of comma-separated values, if its name ends in `.csv`, and otherwise of JSON objects.
    ///   - recordType: The type of the records.
    ///   - schema: The schema of the database.
    ///   - zoneID: The zone of the records; `nil` for the default zone.
    package init(of file: URL, as recordType: Record.RecordType, in schema: Schema, zoneID: RecordZone.ID?) {
        (self.file, self.recordType, self.zoneID) = (file, recordType, zoneID)
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
            var (number, lines) = (0, "")
            try forEachRow { conversion, row in
                number += 1
                guard let line = try conversion.line(of: row, number: number) else { return }
                lines += "\(line)\n"
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
        while let row = try reader.next() { try body(&self, row) }
    }
}

extension RowConversion {
    private static let nameKeys: Set<String> = ["recordName", "___recordName"]

    /// The names of an exported record's values that the store assigns.
    private static let assignedKeys: Set<String> = [
        "changeTag", "created", "createdBy", "modified", "modifiedBy", "___createTime", "___createdBy", "___modTime",
        "___modifiedBy", "___etag", "___recordID", "recordID", "creationDate", "creatorUserRecordID",
        "modificationDate", "lastModifiedUserRecordID", "recordChangeTag",
    ]

    private mutating func readHeader(_ header: CSVRow) throws(RowMistake) {
        columns = []
        for cell in header.cells {
            let key = Self.nameKeys.contains(cell.text) ? "recordName" : cell.text
            var mistake: String?
            if key.isEmpty { mistake = "A column has no name." }
            if columns.contains(key) { mistake = "The column '\(key)' appears twice." }
            if let mistake { throw RowMistake(line: cell.line, column: cell.column, message: mistake) }
            columns.append(key)
        }
    }

    /// Returns the cells of a row with the names of their columns; none for an empty line.
    private func cells(of row: FileRow) throws(RowMistake) -> [(key: String, cell: CSVRow.Cell)] {
        let table = try CSVRow(row)
        if table.isEmpty { return [] }
        guard table.cells.count == columns.count else {
            throw RowMistake(
                line: row.line,
                message: "The row has \(table.cells.count) values; expected \(columns.count), as many as columns.")
        }
        return Array(zip(columns, table.cells))
    }

    /// Returns the members of a JSON object, which may be a record as the program prints it.
    private func members(of row: FileRow) throws(RowMistake) -> [JSONValue.Member] {
        do {
            guard case .object(let members) = try JSONValue(record: row.text) else { return [] }
            guard case .object(let fields)? = members.first(where: { $0.key == "fields" })?.value else {
                return members
            }
            return members.filter { $0.key != "fields" } + fields
        } catch {
            throw RowMistake(line: row.line, message: error.message)
        }
    }

    private func isField(_ key: String) -> Bool {
        !Self.nameKeys.contains(key) && !Self.assignedKeys.contains(key)
            && !["recordType", "zone", "parent"].contains(key)
    }

    private mutating func infer(from row: FileRow, _ inference: inout FieldInference) throws(RowMistake) {
        if isCSV {
            for (key, cell) in try cells(of: row) where isField(key) && type[key] == nil {
                inference.add(text: cell.text, of: key)
            }
            return
        }
        for member in try members(of: row) where isField(member.key) && type[member.key] == nil {
            guard inference.add(member.value, of: member.key) else {
                throw RowMistake(
                    line: row.line,
                    message: "The value of '\(member.key)' is of another type than those of the rows before it.")
            }
        }
    }

    /// Returns a row as the line of a record; `nil` for an empty line.
    private mutating func line(of row: FileRow, number: Int) throws -> JSONValue? {
        var (name, parent, fields): (String?, JSONValue?, [JSONValue.Member]) = (nil, nil, [])
        func text(_ value: JSONValue) -> String? { value.string ?? (value == .null ? nil : value.description) }
        func add(_ key: String, _ value: JSONValue, _ column: Int?, _ line: Int) throws(RowMistake) {
            switch key {
            case _ where Self.nameKeys.contains(key): name = text(value)
            case "parent": parent = value == .null ? nil : value
            case "recordType" where text(value) == recordType || value == .null: break
            case "recordType":
                throw RowMistake(
                    line: line, column: column, message: "The row is of the type \(value), not \(recordType).")
            case "zone": break
            case _ where Self.assignedKeys.contains(key): ignoredNames.insert(key)
            default:
                do {
                    fields.append(JSONValue.Member(key: key, value: try self.value(value, of: key)))
                } catch {
                    throw RowMistake(line: line, column: column, message: error.message)
                }
            }
        }
        if isCSV {
            let cells = try cells(of: row)
            if cells.isEmpty { return nil }
            for (key, cell) in cells {
                try add(key, cell.text.isEmpty ? .null : .string(cell.text), cell.column, cell.line)
            }
        } else {
            for member in try members(of: row) { try add(member.key, member.value, nil, row.line) }
        }
        var members = [
            JSONValue.Member(key: "recordName", value: .string(name ?? Self.name(of: row, number))),
            JSONValue.Member(key: "recordType", value: .string(recordType)),
            JSONValue.Member(key: "updates", value: .bool(true)),
        ]
        if let zoneID, zoneID != .default { members.append(.init(key: "zone", value: .string(zoneID.zoneName))) }
        if let parent { members.append(.init(key: "parent", value: parent)) }
        let line = JSONValue.object(members + [JSONValue.Member(key: "fields", value: .object(fields))])
        do {
            // The import would find the same mistake later, and name another line.
            var record = Record(recordType: recordType)
            try RecordJSON.fill(&record, from: line, files: .verified(in: file.deletingLastPathComponent()))
        } catch {
            throw RowMistake(line: row.line, message: error.message)
        }
        return line
    }

    /// Returns a name for a record without one, which is the same in each import of the file.
    private static func name(of row: FileRow, _ number: Int) -> String {
        var hash = SHA256()
        hash.update(Data("\(number) \(row.text)".utf8))
        return String(hash.checksum.description.prefix(32))
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
        case .integer, .number: value.double.map { ["double": .string("\($0)")] } ?? value
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
        case (_, .string(let text)): return try JSONValue(typed: text, of: key, as: field)
        default: return try value.fitted(to: field, of: key)
        }
    }
}

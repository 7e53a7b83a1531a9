import Cabinet
import Foundation
import SQLSupport

/// Records of one table as columns: each column is one parameter, for any number of records.
struct ColumnArrays {
    /// A column to write, and the array of its values.
    private struct Column {
        let quoted: String
        /// The element type of the array that is sent.
        let sentType: String
        /// The type that the server casts the elements to; `nil` if it needs no cast.
        let cast: String?
        let values: SQLValue
    }

    private var columns: [Column] = []
    let count: Int

    /// Arranges records in columns.
    ///
    /// - Parameters:
    ///   - records: The records and the numbers of their zones.
    ///   - table: Their table.
    ///   - database: The number of their database.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the table cannot hold one of them.
    init(_ records: [(record: StoredRecord, zone: Int64)], in table: Table, database: Int64) throws {
        count = records.count
        addNumbers(#""___zone""#, records.map(\.zone), cast: "integer")
        addTexts(#""___recordID""#, records.map { StoredText.encoded($0.record.recordID.recordName) })
        addNumbers(#""___etag""#, records.map(\.record.sequenceNumber))
        addNumbers(#""___insertion""#, records.map(\.record.insertionNumber))
        addDoubles(#""___createTime""#, records.map(\.record.creationDate.timeIntervalSinceReferenceDate))
        addTexts(#""___createdBy""#, records.map { StoredText.encoded($0.record.creatorName) })
        addDoubles(#""___modTime""#, records.map(\.record.modificationDate.timeIntervalSinceReferenceDate))
        addTexts(#""___modifiedBy""#, records.map { StoredText.encoded($0.record.lastModifierName) })
        addTexts(#""___parent""#, records.map { $0.record.parentName.map(StoredText.encoded) })
        var rows = Rows(records.map(\.record), in: table)
        for position in table.columns.indices { try add(position, of: table, &rows) }
        if !table.built.words.isEmpty {
            let words = try records.indices.map { row in
                let texts = try table.built.words.compactMap { position -> String? in
                    if case .string(let text)? = try rows.value(row, position) { text } else { nil }
                }
                return SearchWords.vector(of: texts, database)
            }
            addTexts(#""___words""#, words, cast: "tsvector")
        }
    }

    private mutating func add(_ position: Int, of table: Table, _ rows: inout Rows) throws {
        let column = table.columns[position]
        func all<Stored>(_ extract: (FieldValue) throws -> Stored?) throws -> [Stored?] {
            try (0..<count).map { row in
                guard let value = try rows.value(row, position) else { return nil }
                guard value.fieldType == column.type, let stored = try extract(value) else {
                    throw rows.refusal(
                        row, column, "The field holds \(column.type) values; the new value is \(value.fieldType).")
                }
                return stored
            }
        }
        if column.type.isList {
            let lists = try all { value -> (elements: String, actions: String?)? in
                if case .list(let list) = value { ArrayLiteral.texts(of: list) } else { nil }
            }
            addTexts(column.quoted, lists.map { $0?.elements }, cast: Layout.arrayType(of: column.type))
            if let action = column.quotedAction { addTexts(action, lists.map { $0?.actions }, cast: "smallint[]") }
            return
        }
        switch column.type.scalar {
        case .string:
            addTexts(
                column.quoted, try all { if case .string(let text) = $0 { StoredText.encoded(text) } else { nil } })
        case .int64:
            addNumbers(column.quoted, try all { if case .int64(let number) = $0 { number } else { nil } })
        case .double:
            addDoubles(column.quoted, try all { if case .double(let number) = $0 { number } else { nil } })
        case .timestamp:
            addDoubles(
                column.quoted,
                try all { if case .timestamp(let date) = $0 { date.timeIntervalSinceReferenceDate } else { nil } })
        case .bytes:
            // An encrypted value is stored as its ciphertext.
            let values = try all { value -> Data? in
                switch value {
                case .bytes(let data): data
                case .encrypted(let value): value.ciphertext
                default: nil
                }
            }
            columns.append(Column(quoted: column.quoted, sentType: "bytea", cast: nil, values: .byteLists(values)))
        case .reference:
            let values = try all { value -> Reference? in
                if case .reference(let reference) = value { reference } else { nil }
            }
            addTexts(column.quoted, values.map { $0.map { StoredText.encoded($0.recordID.recordName) } })
            if let action = column.quotedAction {
                addNumbers(action, values.map { $0.map { Int64($0.action.rawValue) } }, cast: "smallint")
            }
        case .location:
            addTexts(
                column.quoted,
                try all { if case .location(let place) = $0 { ArrayLiteral.text(of: place) } else { nil } },
                cast: "double precision[]")
        case .asset:
            addTexts(
                column.quoted, try all { if case .asset(let asset) = $0 { asset.stored?.description } else { nil } })
        }
    }

    private mutating func addTexts(_ quoted: String, _ values: [String?], cast: String? = nil) {
        columns.append(Column(quoted: quoted, sentType: "text", cast: cast, values: .texts(values)))
    }

    private mutating func addNumbers(_ quoted: String, _ values: [Int64?], cast: String? = nil) {
        columns.append(Column(quoted: quoted, sentType: "bigint", cast: cast, values: .integers(values)))
    }

    private mutating func addDoubles(_ quoted: String, _ values: [Double?]) {
        columns.append(Column(quoted: quoted, sentType: "double precision", cast: nil, values: .doubles(values)))
    }
}

// MARK: - Statements

extension ColumnArrays {
    /// The values of the parameters after the first one, which is the database.
    var parameters: [SQLValue] { count == 1 ? columns.map(\.values.first) : columns.map(\.values) }

    /// Returns the statement that inserts the records.
    func insertion(into table: Table) -> String {
        """
        INSERT INTO \(table.quoted) ("___database", \(columns.map(\.quoted).joined(separator: ", "))) \
        \(count == 1 ? row : rows)
        """
    }

    /// The values of a single record, for which PostgreSQL need not expand arrays.
    private var row: String {
        let values = columns.indices.map(parameter)
        return "VALUES ($1::bigint, \(values.joined(separator: ", ")))"
    }

    private var rows: String {
        "SELECT $1::bigint, \(columns.indices.map(value).joined(separator: ", ")) FROM \(source)"
    }

    /// Returns the statement that replaces existing records.
    ///
    /// It looks up each row by its key, independently of PostgreSQL's statistics. A join might scan a whole database.
    func update(of table: Table) -> String {
        if count == 1 { return updateOfOne(in: table) }
        // The first two columns are the key.
        let assignments = columns.dropFirst(2).map { "\($0.quoted) = excluded.\($0.quoted)" }
        return """
            \(insertion(into: table)) ON CONFLICT ("___database", "___zone", "___recordID") \
            DO UPDATE SET \(assignments.joined(separator: ", "))
            """
    }

    /// Returns the statement that replaces a single record, which avoids locking the row first to check that it exists.
    private func updateOfOne(in table: Table) -> String {
        let places = columns.indices.map { "\(columns[$0].quoted) = \(parameter($0))" }
        return """
            UPDATE \(table.quoted) SET \(places.dropFirst(2).joined(separator: ", ")) \
            WHERE "___database" = $1::bigint AND \(places[0]) AND \(places[1]) COLLATE "C"
            """
    }

    /// Returns the parameter of a column of a single record.
    private func parameter(_ index: Int) -> String {
        "$\(index + 2)::\(columns[index].sentType)" + (columns[index].cast.map { "::\($0)" } ?? "")
    }

    private var source: String {
        let arrays = columns.indices.map { "$\($0 + 2)::\(columns[$0].sentType)[]" }
        return
            "unnest(\(arrays.joined(separator: ", "))) AS v(\(columns.indices.map { "c\($0)" }.joined(separator: ", ")))"
    }

    private func value(_ index: Int) -> String { "v.c\(index)" + (columns[index].cast.map { "::\($0)" } ?? "") }
}

/// Records, from which values are read by column.
private struct Rows {
    private let records: [StoredRecord]
    private let fields: FieldColumns
    private var columnMap = ColumnMap()

    init(_ records: [StoredRecord], in table: Table) {
        self.records = records
        fields = table.fields
    }

    mutating func value(_ row: Int, _ position: Int) throws -> FieldValue? {
        let record = records[row]
        try columnMap.prepare(for: record, in: fields)
        guard let value = columnMap.value(position, of: record) else { return nil }
        try Self.check(value, of: record, fields.columns[position].field)
        return value
    }

    func refusal(_ row: Int, _ column: Table.Column, _ reason: String) -> CabinetError {
        CabinetError(.invalidArguments, reason, recordID: records[row].recordID, fieldKey: column.field)
    }

    /// Rejects values that the column could not return unchanged, or would sort differently from the core.
    private static func check(_ value: FieldValue, of record: StoredRecord, _ field: Record.FieldKey) throws {
        func refuse(_ reason: String) -> CabinetError {
            CabinetError(.invalidArguments, reason, recordID: record.recordID, fieldKey: field)
        }
        let references: [Reference]
        switch value {
        case .double(let number) where number.isNaN:
            throw refuse("The value is not a number. Save a number, or none.")
        case .timestamp(let date) where date.timeIntervalSinceReferenceDate.isNaN:
            throw refuse("The date is not a number. Save a date, or none.")
        case .reference(let reference): references = [reference]
        case .list(.reference(let all)): references = all
        default: return
        }
        for reference in references where reference.recordID.zoneID != record.recordID.zoneID {
            throw refuse("The reference points to \(reference.recordID), which is in another zone than its record.")
        }
    }
}

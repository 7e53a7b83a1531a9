import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

extension Command {
    static let query = Command(
        words: ["query"], parameters: ["TYPE", "[FILTER]"],
        options: [CLIOption.sort, CLIOption.limit, CLIOption.fields],
        summary: "Print the records of a type that match a filter",
        details: """
            A filter follows references, searches for words and combines conditions with AND, OR and NOT. Without --zone, records of all
            zones are found. A column has their zones: in a table if one is outside of the default zone, in CSV if the database has others.
            """,
        examples: [
            "cabinet query Coin 'year > 1900 AND country == \"GB\"' --sort -year,name --limit 10",
            "cabinet query Item 'list.name == \"Groceries\" OR self CONTAINS \"milk\"' --fields name --format csv",
        ]
    ) { invocation in
        let query = try invocation.query()
        let fields = invocation.option(CLIOption.fields).map(\.names)
        let format = try invocation.format()
        let limit = try invocation.limit(default: format == .table ? 100 : 0)
        try await invocation.withDatabase { database in
            try await invocation.validate(query, fields, in: database)
            // Without a schema, the columns of a table are the fields of its records.
            var columns = fields
            if columns == nil, try !invocation.isCloudKit {
                columns = try await invocation.columns(of: query.recordType, in: database)
            }
            var hasZones = false
            if format == .csv {
                guard let columns else {
                    throw CommandError.usage(
                        "CloudKit Web Services have no schema. Name the columns: --fields name,year")
                }
                // CloudKit's public database has the default zone alone.
                if fields == nil, invocation.zoneID == nil, try !invocation.isCloudKit || invocation.scope() == .private
                {
                    hasZones = try await database.allRecordZones().count > 1
                }
                invocation.write(csv: Invocation.titles(columns, hasZones: hasZones))
            }
            var rows: [(record: Record, object: JSONValue)] = []
            var count = 0
            let pageSize = limit == 0 ? 1000 : min(limit, 999) + 1
            let records = database.recordSequence(
                matching: query, inZoneWith: invocation.zoneID, desiredKeys: fields, pageSize: pageSize)
            for try await record in records {
                if count == limit, limit > 0 {
                    if format == .table {
                        invocation.console.writeError("There are more records. Use --limit N, or --limit 0 for all.")
                    }
                    break
                }
                count += 1
                let object = RecordJSON.object(record)
                if format == .json {
                    invocation.console.write(object.description)
                    continue
                }
                if format == .table { rows.append((record, object)) }
                guard format == .csv, let columns else { continue }
                invocation.write(csv: Invocation.cells(columns, of: record, object, hasZones: hasZones).map(\.csv))
            }
            if format == .table {
                let columns = columns ?? Set(rows.flatMap { $0.record.fields.keys }).sorted()
                hasZones =
                    fields == nil && invocation.zoneID == nil && rows.contains { $0.record.recordID.zoneID != .default }
                invocation.console.write(
                    rows: [Invocation.titles(columns, hasZones: hasZones)]
                        + rows.map {
                            Invocation.cells(columns, of: $0.record, $0.object, hasZones: hasZones).map(\.cell)
                        })
            }
        }
    }

    static let count = Command(
        words: ["count"], parameters: ["TYPE", "[FILTER]"], options: [CLIOption.by, CLIOption.of],
        summary: "Count the records of a type that match a filter",
        details: """
            With --by, there is a row for each value of the field, with the number of its records. With --of too, the row has the sum and the
            mean of another field, and its least and greatest value.
            """,
        examples: [
            "cabinet count Coin 'year BETWEEN {1900, 1950}'", "cabinet count Coin --by country.name --of year",
        ]
    ) { invocation in
        let query = try invocation.query()
        let (key, field) = (invocation.option(CLIOption.by), invocation.option(CLIOption.of))
        if field != nil, key == nil { throw CommandError.usage("--of needs --by, the field that forms the groups.") }
        try await invocation.withDatabase { database in
            try await invocation.validate(query, nil, in: database)
            if let key { return try await invocation.writeGroups(by: key, of: field, query, in: database) }
            let count = try await database.count(matching: query, inZoneWith: invocation.zoneID)
            invocation.console.write("\(count)")
        }
    }

    static let explain = Command(
        words: ["explain"], parameters: ["TYPE", "[FILTER]"], options: [CLIOption.sort],
        summary: "Show how the store finds the records, and which index it uses",
        examples: ["cabinet explain Coin 'year > 1900' --sort name"]
    ) { invocation in
        let query = try invocation.query()
        try await invocation.withDatabase { database in
            try await invocation.validate(query, nil, in: database)
            let explanation = try await database.explain(query, inZoneWith: invocation.zoneID)
            invocation.console.write("\(explanation)".printableLines)
        }
    }
}

extension Invocation {
    /// The query of a type and a filter.
    fileprivate func query() throws -> Query {
        let type = try parameter(0)
        var filter = Filter.constant(true)
        if arguments.parameters.count > 1 {
            do {
                filter = try Filter(try parameter(1))
            } catch {
                throw CommandError(describing: error)
            }
        }
        return Query(recordType: type, filter: filter, sortedBy: Sort.list(option(CLIOption.sort) ?? ""))
    }

    fileprivate func limit(default limit: Int) throws(CommandError) -> Int {
        guard let text = option(CLIOption.limit) else { return limit }
        guard let number = Int(text), number >= 0 else {
            throw .usage("The limit is '\(text.printable)'; expected a number, or 0 for all records.")
        }
        return number
    }

    /// Prints the groups of a query's records.
    fileprivate func writeGroups(
        by key: String, of field: String?, _ query: Query, in database: Database
    ) async throws {
        let type = try await knownSchema(of: database)[query.recordType].fields[field ?? ""]?.type
        let groups = try await database.groups(by: key, of: field, type: type, matching: query, inZoneWith: zoneID)
        func value(_ value: FieldValue?) -> JSONValue { value.map { RecordJSON.json($0) { _ in nil } } ?? .null }
        func number(_ value: Double?) -> JSONValue {
            value.map { number in Int64(exactly: number).map(JSONValue.integer) ?? .number(number) } ?? .null
        }
        try write(
            [key, "count"] + (field == nil ? [] : ["sum", "average", "minimum", "maximum"]),
            groups.map { group in
                [value(group.value), .integer(Int64(group.count))]
                    + (field == nil
                        ? []
                        : [
                            number(group.sum), number(group.average), value(group.minimum), value(group.maximum),
                        ])
            })
    }

    /// Checks a query against the database's schema, so that a misspelled name is reported instead of finding nothing.
    fileprivate func validate(_ query: Query, _ fields: [String]?, in database: Database) async throws {
        if try !isCloudKit { try await database.validate(query, desiredKeys: fields) }
    }

    /// The fields of a type, by name.
    fileprivate func columns(of recordType: String, in database: Database) async throws -> [String] {
        try await database.schema()[recordType].fields.keys.filter { SystemField(rawValue: $0) == nil }.sorted()
    }

    /// The titles of columns with fields, and of those before them with the identity of a record.
    fileprivate static func titles(_ columns: [String], hasZones: Bool) -> [String] {
        // A field may have the name of the zone's column, and an import refuses a name twice.
        ["recordName"] + (hasZones ? [columns.contains("zone") ? "___zone" : "zone"] : []) + columns
    }

    /// The name, the zone if it is shown, and the fields of a record.
    fileprivate static func cells(
        _ columns: [String], of record: Record, _ object: JSONValue, hasZones: Bool
    ) -> [JSONValue] {
        let id = record.recordID
        return [.string(id.recordName)] + (hasZones ? [.string(id.zoneID.zoneName)] : [])
            + columns.map { value($0, of: object) }
    }

    /// A field or system field of a record.
    private static func value(_ key: String, of object: JSONValue) -> JSONValue {
        switch SystemField(rawValue: key) {
        case nil: object["fields"]?[key] ?? .null
        case .recordID: object["recordName"] ?? .null
        case .creationDate: object["created"] ?? .null
        case .modificationDate: object["modified"] ?? .null
        case .creatorUserRecordID: object["createdBy"] ?? .null
        case .lastModifiedUserRecordID: object["modifiedBy"] ?? .null
        case .parent: object["parent"] ?? .null
        }
    }
}

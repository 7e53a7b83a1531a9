import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The records of a choice as a file, or a whole database with its assets as an archive.
///
/// A file is sent while it is read: memory holds a page of records, and the store is read as fast as the browser receives.
enum ExportPage {
    private static let pageSize = 500
    /// The number of bytes that are sent at a time.
    private static let chunkSize = 1 << 16

    static func answer(_ visit: Visit) async throws -> Answer {
        if visit["format"] == "zip" { return try await archive(visit) }
        let schema = try await visit.database.schema()
        let choice = try RecordChoice(visit, schema)
        let query = try choice.query()
        try query.validate(against: schema)
        let isCSV = visit["format"] != "json"
        let columns = choice.exportedColumns
        let records = visit.database.recordSequence(
            matching: query, inZoneWith: choice.zoneID, desiredKeys: isCSV ? columns : nil, pageSize: pageSize)
        let body = HTTPBody(writing: { output in
            var lines = isCSV ? CSV.line(["recordName"] + columns) + "\n" : ""
            for try await record in records {
                lines += isCSV ? row(record, columns) : RecordJSON.object(record).description
                lines += "\n"
                if lines.utf8.count < chunkSize { continue }
                try await output(Data(lines.utf8))
                lines = ""
            }
            try await output(Data(lines.utf8))
        })
        return try file(
            "\(choice.type).\(isCSV ? "csv" : "jsonl")", isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson",
            body)
    }

    private static func row(_ record: Record, _ columns: [Record.FieldKey]) -> String {
        let object = RecordJSON.object(record, hasSystemFields: false)["fields"]
        return CSV.line(
            [record.recordID.recordName] + columns.map { object?[$0]?.csv ?? "" }, isForSpreadsheet: true)
    }

    /// Sends a database as `cabinet export` writes it, with the files of its assets.
    private static func archive(_ visit: Visit) async throws -> Answer {
        guard visit.place.scope != .shared else {
            throw CabinetError(
                .invalidArguments, "The shared database has records of others. Export them one type at a time.")
        }
        if visit.place.scope == .public,
            let type = try await visit.database.schema().recordTypeHidden(from: visit.account)
        {
            throw CabinetError(
                .permissionFailure,
                "The schema does not let this user read every record of \(type), so the archive would lack the others.")
        }
        let name = "\(visit.store.identifier)-\(visit.place.path[2])"
        let archive = DatabaseArchive(of: visit.database, named: name.filter(isSafe))
        return try file("\(name).zip", "application/zip", HTTPBody(writing: { try await archive.write(to: $0) }))
    }

    private static func file(_ name: String, _ type: String, _ body: HTTPBody) throws -> Answer {
        var response = try HTTPResponse(contentType: type, body: body)
        try response.headerFields.set(
            .contentDisposition, to: "attachment; filename=\"\(name.filter(isSafe))\"")
        return .response(response)
    }

    /// Whether a character is the same in the file names of all systems.
    private static func isSafe(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ".-_".contains(character))
    }
}

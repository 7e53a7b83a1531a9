import Cabinet
import CabinetServer
import CabinetTools
import Foundation

/// The records of a choice as a file.
enum ExportPage {
    private static let pageSize = 500

    static func answer(_ visit: Visit) async throws -> Answer {
        let schema = try await visit.database.schema()
        let choice = try RecordChoice(visit, schema)
        let query = try choice.query()
        try query.validate(against: schema)
        let isCSV = visit["format"] != "json"
        let columns = schema[choice.type].shownFields.map(\.0).filter { SystemField(rawValue: $0) == nil }
        let records = visit.database.recordSequence(
            matching: query, inZoneWith: choice.zoneID, desiredKeys: isCSV ? columns : nil, pageSize: pageSize)
        let lines = AsyncThrowingStream<Data, any Error> { continuation in
            let task = Task {
                do {
                    if isCSV { continuation.yield(Data((CSV.line(["recordName"] + columns) + "\n").utf8)) }
                    for try await record in records {
                        let line: String
                        if isCSV {
                            let object = RecordJSON.object(record, hasSystemFields: false)["fields"]
                            let cells = columns.map { object?[$0]?.text ?? "" }
                            line = CSV.line([record.recordID.recordName] + cells, isForSpreadsheet: true)
                        } else {
                            line = RecordJSON.object(record).description
                        }
                        continuation.yield(Data((line + "\n").utf8))
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
        var response = try HTTPResponse(
            contentType: isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson", body: HTTPBody(lines))
        let name = choice.type.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        try response.headerFields.set(
            .contentDisposition, to: "attachment; filename=\"\(name).\(isCSV ? "csv" : "jsonl")\"")
        return .response(response)
    }
}

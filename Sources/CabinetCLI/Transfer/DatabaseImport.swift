import Cabinet
import CabinetTools
import Foundation
import TerminalProgram

/// Reads a file of JSON lines, as an export writes it, into a database.
///
/// Each batch is one transaction. After it, the number of imported lines is stored beside the file, so that an interrupted import
/// continues there. A batch that was saved twice leaves the same records.
struct DatabaseImport {
    private let database: Database
    private let file: URL
    private let state: URL
    private let store: String
    private var meter: TransferMeter
    private var batch: [Record] = []
    private var lineNumber = 0

    private static let batchSize = 500

    init(of file: URL, into database: Database, store: String, meter: TransferMeter) throws {
        self.file = file
        self.database = database
        self.store = store
        self.meter = meter
        state = file.appendingPathExtension("imported")
    }

    mutating func run() async throws {
        let lines = try LineReader(file)
        let finished = importedLines()
        while let (line, offset) = try lines.next() {
            lineNumber += 1
            if line.allSatisfy(\.isWhitespace) { continue }
            let object: JSONValue
            do {
                object = try JSONValue(record: line)
            } catch {
                throw located(error)
            }
            // Schema and zones are added each time, because that changes nothing the second time.
            if lineNumber <= finished, object["recordName"] != nil { continue }
            try await take(object)
            meter.fraction = lines.size == 0 ? nil : Double(offset) / Double(lines.size)
            if batch.count >= Self.batchSize { try await save() }
        }
        try await save()
        try? FileManager.default.removeItem(at: state)
        meter.finish("Imported from \(file.relativePath.printable)")
    }

    private mutating func take(_ object: JSONValue) async throws {
        if let text = object["schema"]?.string {
            try await database.apply(try SchemaDocument(parsing: text).schema)
        } else if let zone = object["zone"]?.string, object["recordName"] == nil {
            try await save()
            try await database.save(RecordZone(zoneName: zone))
        } else if let name = object["recordName"]?.string, let type = object["recordType"]?.string {
            let zone = object["zone"]?.string.map { RecordZone.ID(zoneName: $0) } ?? .default
            var record = Record(recordType: type, recordID: RecordID(recordName: name, zoneID: zone))
            do {
                try RecordJSON.fill(&record, from: object, folder: file.deletingLastPathComponent())
            } catch {
                throw located(error)
            }
            batch.append(record)
        } else {
            throw located(CommandError.usage("a record needs \"recordName\" and \"recordType\"."))
        }
    }

    /// Saves the batch, and stores the position.
    private mutating func save() async throws {
        if batch.isEmpty { return }
        if Task.isCancelled {
            throw CommandError(.interrupted, "Stopped after \(meter.count) records. Repeat the command to continue.")
        }
        let results = try await database.modifyRecords(saving: batch, deleting: [], savePolicy: .allKeys).saveResults
        // The cause, rather than the records that failed with it.
        let failures = results.values.compactMap { result -> CabinetError? in
            if case .failure(let error) = result { error } else { nil }
        }
        if let cause = failures.first(where: { $0.code != .batchRequestFailed }) ?? failures.first { throw cause }
        meter.add(batch.count)
        batch = []
        try Data("\(lineNumber) \(store)\n".utf8).write(to: state, options: .atomic)
    }

    /// The number of lines that an interrupted import into the same store has saved.
    private func importedLines() -> Int {
        guard let text = try? String(contentsOf: state, encoding: .utf8) else { return 0 }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1] == store + "\n" else { return 0 }
        return Int(parts[0]) ?? 0
    }

    private func located(_ error: any Error) -> CommandError {
        CommandError.usage("\(file.relativePath.printable):\(lineNumber): \(CommandError(describing: error))")
    }
}

package import Cabinet
package import Foundation

/// Reads a file of JSON lines, as an export writes it, into a database.
///
/// Each batch is one transaction. After it, the number of imported lines is stored beside the file, so that an interrupted import
/// continues there. A batch that was saved twice leaves the same records. Records that refer to later ones with a delete rule are saved
/// without these references, and again at the end. Memory holds one batch.
package struct DatabaseImport {
    private let database: Database
    private let file: URL
    private let state: URL
    private let store: String
    private var progress = TransferProgress()
    private var deferred: DeferredRecords
    private var batch: [(record: Record, object: JSONValue)] = []
    /// The number of bytes of the batch's lines.
    private var batchBytes = 0
    private var lineNumber = 0
    private let finishedLines: Int

    private static let batchSize = 500
    /// A batch of larger records is saved earlier, so that memory does not depend on their size.
    private static let batchByteLimit = 4 << 20

    /// Creates an import.
    ///
    /// - Parameter store: The location of the store, which an interrupted import remembers.
    package init(of file: URL, into database: Database, store: String) {
        self.file = file
        self.database = database
        self.store = store
        state = file.appendingPathExtension("imported")
        finishedLines = Self.importedLines(in: state, store: store)
        deferred = DeferredRecords(beside: file, continues: finishedLines > 0)
    }

    /// Reads the file.
    ///
    /// - Parameter report: Receives the progress after each batch.
    package mutating func run(reporting report: (TransferProgress) -> Void) async throws {
        let lines = try LineReader(file)
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
            if lineNumber <= finishedLines, object["recordName"] != nil { continue }
            try await take(object, report)
            batchBytes += line.utf8.count
            progress.fraction = lines.size == 0 ? nil : Double(offset) / Double(lines.size)
            if batch.count >= Self.batchSize || batchBytes >= Self.batchByteLimit { try await save(report) }
        }
        try await save(report)
        try await saveDeferred()
        try? FileManager.default.removeItem(at: state)
        deferred.remove()
    }

    private mutating func take(_ object: JSONValue, _ report: (TransferProgress) -> Void) async throws {
        if let text = object["schema"]?.string {
            try await database.apply(try SchemaDocument(parsing: text).schema)
        } else if let zone = object["zone"]?.string, object["recordName"] == nil {
            try await save(report)
            try await database.save(RecordZone(zoneName: zone))
        } else if object["recordName"]?.string != nil, object["recordType"]?.string != nil {
            do {
                batch.append((try record(of: object), object))
            } catch {
                throw located(error)
            }
        } else {
            throw located(CabinetError(.invalidArguments, "a record needs \"recordName\" and \"recordType\"."))
        }
    }

    private func record(of object: JSONValue) throws -> Record {
        let zone = object["zone"]?.string.map { RecordZone.ID(zoneName: $0) } ?? .default
        var record = Record(
            recordType: object["recordType"]?.string ?? "",
            recordID: RecordID(recordName: object["recordName"]?.string ?? "", zoneID: zone))
        try RecordJSON.fill(&record, from: object, folder: file.deletingLastPathComponent())
        return record
    }

    /// Saves the batch, and stores the position.
    private mutating func save(_ report: (TransferProgress) -> Void) async throws {
        if batch.isEmpty { return }
        try checkInterruption()
        var records = batch.map(\.record)
        do {
            try await Self.save(records, in: database)
        } catch CabinetError.Code.referenceViolation {
            let changed = try await Self.removeForwardReferences(from: &records, in: database)
            // They are in the file before the position is stored, so that no interruption loses them.
            try deferred.add(batch.filter { changed.contains($0.record.recordID) }.map(\.object))
            try await Self.save(records, in: database)
        }
        progress.count += batch.count
        report(progress)
        (batch, batchBytes) = ([], 0)
        try Data("\(lineNumber) \(store)\n".utf8).write(to: state, options: .atomic)
    }

    /// Saves the records with references to later records again, which all exist now.
    private mutating func saveDeferred() async throws {
        if deferred.isEmpty { return }
        let lines = try LineReader(deferred.file)
        var records: [Record] = []
        var bytes = 0
        while let (line, _) = try lines.next() {
            records.append(try record(of: try JSONValue(record: line)))
            bytes += line.utf8.count
            guard records.count >= Self.batchSize || bytes >= Self.batchByteLimit else { continue }
            try checkInterruption()
            try await Self.save(records, in: database)
            (records, bytes) = ([], 0)
        }
        if !records.isEmpty { try await Self.save(records, in: database) }
    }

    private func checkInterruption() throws(CabinetError) {
        guard Task.isCancelled else { return }
        throw CabinetError(
            .operationCancelled,
            "Stopped after \(progress.count) records, which are saved. Repeat the command to continue.")
    }

    /// The number of lines that an interrupted import into the same store has saved.
    private static func importedLines(in state: URL, store: String) -> Int {
        guard let text = try? String(contentsOf: state, encoding: .utf8) else { return 0 }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1] == store + "\n" else { return 0 }
        return Int(parts[0]) ?? 0
    }

    private func located(_ error: any Error) -> CabinetError {
        CabinetError(.invalidArguments, "\(file.relativePath):\(lineNumber): \(error.localizedDescription)")
    }
}

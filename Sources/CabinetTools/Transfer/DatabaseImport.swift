package import Cabinet
package import Foundation

/// Reads a file of JSON lines, as an export writes it, into a database.
///
/// Each batch is one transaction, which also stores the position in the file. So an interrupted import continues exactly where it
/// stopped. For a database on a server, the position is stored on this side; ``ImportState`` says how they agree. A line that the
/// database refuses now, because of lines that come later, is imported once more at the end. Memory holds one batch.
package struct DatabaseImport {
    let database: Database
    let state: ImportState
    let file: URL
    /// The folder with the files of assets.
    private let folder: URL
    var position = ImportPosition()
    var batch = ImportBatch()
    /// The number of records that this run has saved.
    var count = 0
    /// The number of records that this run has imported without a reference, or not deleted, and of shares that it has passed over.
    package internal(set) var lossCount = 0

    /// The number of lines in a batch.
    var batchSize = 500
    /// The errors after which the same import can go on later.
    private static let interruptions: Set<CabinetError.Code> = [
        .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .serverResponseLost,
    ]
    /// A batch of larger records is saved earlier, so that memory does not depend on their size.
    static let batchByteLimit = 4 << 20

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - database: A database of the container.
    ///   - container: The container.
    ///   - folder: The folder that the assets lie below; `nil` for that of the file.
    ///   - store: A store on this side, and a name of the server's container and environment; `nil` for a database of a store.
    package init(
        of file: URL, into database: Database, of container: Container, assetsIn folder: URL? = nil,
        positionsIn store: (backend: any StorageBackend, target: String)? = nil
    ) async throws {
        self.file = file
        self.folder = folder ?? file.deletingLastPathComponent()
        self.database = database
        let user = try await container.userRecordID().recordName
        if let store {
            // The parts can be long, and the length of a key is limited.
            let owner = Asset.Checksum(of: Data("\(store.target) \(database.databaseScope) \(user)".utf8))
            state = ImportState(
                database: database, backend: store.backend, key: .private(owner: Account.default.userRecordName),
                owner: "\(owner)", isLocal: true)
        } else {
            let key = try await container.key(of: database.databaseScope)
            state = ImportState(
                database: database, backend: try container.backend, key: key, owner: user, isLocal: false)
        }
    }

    /// Reads the file.
    ///
    /// - Parameter report: Receives the progress after each batch.
    package mutating func run(reporting report: (TransferEvent) -> Void) async throws {
        do {
            let lines = try LineReader(file)
            try await resume(lines, report)
            while let (line, range) = try next(lines) {
                position.line += 1
                if !line.allSatisfy(\.isWhitespace) { try await take(line, range, report) }
                if batch.count < batchSize, batch.byteCount < Self.batchByteLimit { continue }
                try await save(through: lines, report)
            }
            try await save(through: lines, report)
            try await saveDeferred(report)
            try await state.removeAll()
            if let defect = position.export?.defect {
                throw CabinetError(.partialFailure, "\(defect) What the file has is imported.")
            }
        } catch CabinetError.Code.operationCancelled {
            throw CabinetError(
                .operationCancelled,
                "Stopped after \(count.counted("record, which is", "records, which are")) saved. Repeat the command to continue."
            )
        } catch let error as CabinetError where state.isLocal && Self.interruptions.contains(error.code) {
            // The next import finds out what has become of a request without a response.
            let cause = error.code == .serverResponseLost ? "The connection to the server broke." : error.message
            throw CabinetError(
                error.code,
                "\(cause) \(count.counted("record is", "records are")) saved. Repeat the command to continue.",
                underlyingError: error.underlyingError)
        }
    }

    private func next(_ lines: LineReader) throws -> (line: String, range: Range<Int>)? {
        let start = lines.offset
        do {
            return try lines.next().map { ($0, start..<lines.offset) }
        } catch {
            throw located(error, line: position.line + 1)
        }
    }

    /// Continues after the lines that an interrupted import has saved, if they are still the same.
    private mutating func resume(_ lines: LineReader, _ report: (TransferEvent) -> Void) async throws {
        if try await state.settle() {
            report(
                .notice(
                    "The server has forgotten the last request of an earlier import. If its records were saved, they are saved once more."
                ))
        }
        guard let stored = try await state.position() else { return }
        guard try await state.isCurrent(stored) else {
            report(
                .notice(
                    "The server's database was replaced since line \(stored.line) was imported. This import begins with the first line."
                ))
            return try await state.removeAll()
        }
        guard try lines.skip(stored.offset, withChecksum: stored.checksum) else {
            report(
                .notice(
                    "An import into this database stopped after line \(stored.line) of another file, or of this file before it "
                        + "changed. This import begins with the first line."))
            return try await state.removeAll()
        }
        position = stored
        position.export = stored.export ?? ExportSection()
        report(.notice("Continuing after line \(stored.line)."))
    }

    private mutating func take(
        _ line: String, _ range: Range<Int>, _ report: (TransferEvent) -> Void
    ) async throws {
        do {
            let object = try JSONValue(record: line)
            if try position.export?.isEnd(object, line: position.line) == true { return }
            if let text = object.schemaText {
                try await database.apply(try SchemaDocument(parsing: text).schema)
            } else if let zone = object.zoneName {
                let zoneID = RecordZone.ID(zoneName: zone)
                if zoneID != .default { try await database.save(RecordZone(zoneID: zoneID)) }
                guard let keys = object["keys"] else { return }
                let (json, owner) = (Array(keys.description.utf8), object["owner"]?.string)
                if try await database.addCodedKeys(json, of: owner, toZoneWith: zoneID) { return }
                report(
                    .notice(
                        "The keys of the zone '\(zone)' are those of \(owner ?? "another user"), and were not imported. Its encrypted values cannot be read here."
                    ))
            } else {
                batch.add(try item(of: object, range))
            }
        } catch let error as CabinetError where ![.invalidArguments, .assetNotAvailable].contains(error.code) {
            throw error
        } catch {
            throw located(error, line: position.line)
        }
    }

    /// Reads the line of a record or a deletion.
    func item(of object: JSONValue, _ range: Range<Int>) throws(CabinetError) -> ImportBatch.Item {
        let content = object["deleted"] ?? object
        let owner = content["owner"]?.string ?? RecordZone.ID.defaultOwnerName
        let zone = content["zone"]?.string.map { RecordZone.ID(zoneName: $0, ownerName: owner) } ?? .default
        let (name, type) = try content.recordNameAndType()
        let id = RecordID(recordName: name, zoneID: zone)
        if object["deleted"] != nil { return ImportBatch.Item(id: id, range: range) }
        var record = Record(recordType: type, recordID: id)
        try RecordJSON.fill(&record, from: object, files: .verified(in: folder))
        var item = ImportBatch.Item(id: id, record: record, range: range)
        if object["updates"] == .bool(true), case .object(let fields)? = object["fields"] {
            item.removedKeys = Set(fields.filter { $0.value == .null }.map(\.key))
        }
        return item
    }

    /// Saves the batch and the position of the reader.
    private mutating func save(through lines: LineReader, _ report: (TransferEvent) -> Void) async throws {
        (position.offset, position.checksum) = (lines.offset, lines.checksum.description)
        if batch.isEmpty { return }
        let items = batch.items
        let (start, owner) = (position, state.owner)
        lossCount += try await apply(batch, isLast: false, report) { deferred in
            var step = ImportState.Step(position: start)
            if !deferred.isEmpty { step.position.hasDeferred = true }
            for item in items where step.position.hasDeferred {
                let range = "\(item.range.lowerBound) \(item.range.count)"
                step.deferred[ImportPosition.deferredKey(item.id, of: owner).text] = .some(
                    deferred.contains(item.id) ? range : nil)
            }
            return step
        }.losses
        count += items.count { $0.record != nil }
        batch = ImportBatch()
        let fraction = lines.size == 0 ? nil : Double(lines.offset) / Double(lines.size)
        report(.progress(count: count, fraction: fraction))
    }

    private func located(_ error: any Error, line: Int) -> CabinetError {
        CabinetError(.invalidArguments, "\(file.relativePath):\(line): \(error.localizedDescription)")
    }
}

import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Synchronization

@testable import CabinetTools

/// A database that is exported while another client changes it, and imported into an empty one.
///
/// Export and import are interrupted and repeated. At the end, the databases are compared.
struct TransferModel {
    /// A deliberate mistake.
    enum Mistake: CaseIterable {
        case latePosition, unwrittenDeletions, uncomparedAssets, forgottenRequest
    }

    /// The stores of the databases.
    enum Stores: CaseIterable {
        case memory, sqlite
        /// The target is behind a service, so the positions of its imports are in a store of their own.
        case service
    }

    let seed: UInt64
    var mistake: Mistake?
    private let folder: URL
    private let source: any StorageBackend
    private let sink: FaultInjectingBackend
    /// The positions of imports; `nil` if they are in the target.
    private let positions: FaultInjectingBackend?

    /// A difference between what the model expects and what happened.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    init(seed: UInt64, mistake: Mistake? = nil, on stores: Stores = .memory) throws {
        (self.seed, self.mistake) = (seed, mistake)
        folder = FileManager.default.temporaryDirectory.appending(path: "cabinet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        switch stores {
        case .memory, .service: (source, sink) = (MemoryBackend(), FaultInjectingBackend(MemoryBackend()))
        case .sqlite:
            source = SQLiteBackend(directory: folder.appending(path: "source"))
            sink = FaultInjectingBackend(SQLiteBackend(directory: folder.appending(path: "sink")))
        }
        positions = stores == .service ? FaultInjectingBackend(MemoryBackend()) : nil
    }

    private var file: URL { folder.appending(path: "a.jsonl") }
    private var assets: URL { folder.appending(path: "a.jsonl.assets") }

    /// Runs everything.
    ///
    /// - Returns: The number of interruptions.
    func run() async throws -> Int {
        let result: Result<Int, any Error>
        do {
            result = .success(try await transfer())
        } catch {
            result = .failure(error)
        }
        for backend in [source, sink] { await backend.close() }
        try? FileManager.default.removeItem(at: folder)
        return try result.get()
    }

    private func transfer() async throws -> Int {
        var random = SeededGenerator(seed: seed)
        var count = try await export(&random)
        if mistake == .unwrittenDeletions { try edit { $0["deleted"] == nil ? $0 : nil } }
        count += try await importing(&random)
        try await compare()
        return count
    }

    /// Exports the source while another client changes it.
    private func export(_ random: inout SeededGenerator) async throws -> Int {
        let database = try Container(identifier: "model", backend: source).privateDatabase
        let client = Mutex(TransferClient(database, seed: random.next()))
        for _ in 0..<40 { await change(client) }
        let pageSize = 1 + random.number(below: 5)
        var interruptions = 0
        while true {
            // The number of changes is limited, so that the feed ends.
            let changes = Mutex(30)
            let kill = Mutex(random.number(below: 3) == 0 ? Int.max : random.number(below: 40))
            let busy = BusyBackend(base: source) {
                let isKilled = kill.withLock { rest in
                    rest -= 1
                    return rest < 0
                }
                if isKilled { throw CabinetError(.networkFailure, "The program is killed.") }
                let hasChange = changes.withLock { rest in
                    rest -= 1
                    return rest >= 0
                }
                if hasChange { await change(client) }
            }
            let exported = try Container(identifier: "model", backend: busy).privateDatabase
            var export = DatabaseExport(of: exported, to: file)
            export.pageSize = pageSize
            do {
                try await export.run { _ in }
            } catch CabinetError.Code.networkFailure {
                interruptions += 1
                cutAsset(&random)
                continue
            }
            // A cut file is refused, and a repeated export, of a source that does not change, repairs it.
            guard mistake == .uncomparedAssets || random.number(below: 3) == 0, let name = cutAsset(&random) else {
                return interruptions
            }
            if mistake == .uncomparedAssets {
                try edit { $0.withoutChecksums }
                return interruptions
            }
            try await expectRefusal(of: name)
            export = DatabaseExport(of: database, to: file)
            try await export.run { _ in }
            return interruptions
        }
    }

    private func change(_ client: borrowing Mutex<TransferClient>) async {
        var copy = client.withLock(\.self)
        await copy.change()
        let changed = copy
        client.withLock { $0 = changed }
    }

    /// Cuts one of the exported files, and returns its name.
    @discardableResult
    private func cutAsset(_ random: inout SeededGenerator) -> String? {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: assets.path)) ?? []).sorted()
        guard !names.isEmpty else { return nil }
        let name = names[random.number(below: names.count)]
        return (try? Data("phot".utf8).write(to: assets.appending(path: name))).map { name }
    }

    /// Imports the file into a database of its own, which succeeds only if no line names the cut file.
    private func expectRefusal(of name: String) async throws {
        let container = try Container(identifier: "model", backend: MemoryBackend())
        var transfer = try await DatabaseImport(of: file, into: container.privateDatabase, of: container)
        var isRefused = false
        do {
            try await transfer.run { _ in }
        } catch CabinetError.Code.invalidArguments {
            isRefused = true
        }
        guard isRefused == (try String(contentsOf: file, encoding: .utf8).contains(name)) else {
            throw Failure(
                description: "A cut file is \(isRefused ? "refused, although no line names it" : "imported").")
        }
    }

    /// Imports the file, while the target's store fails now and then.
    private func importing(_ random: inout SeededGenerator) async throws -> Int {
        let target: any StorageBackend = mistake == .latePosition ? LatePositionBackend(base: sink) : sink
        var interruptions = 0
        let batchSize = 1 + random.number(below: 7)
        var single = try linesOfSinglePlainRecords()
        var edited: [RecordID: Int] = [:]
        while true {
            removeAllInjections()
            if interruptions < 40, random.number(below: 5) > 0 {
                let fault: InjectedFault =
                    switch random.number(below: 3) {
                    case 0: .failure(.networkFailure)
                    case 1: .connectionLostBeforeCommit()
                    default: .connectionLostAfterCommit(reportedAs: .networkFailure)
                    }
                let backend = positions.flatMap { random.number(below: 2) == 0 ? $0 : nil } ?? sink
                backend.inject(fault, on: .write, at: 1 + random.number(below: 6))
            }
            var transfer = try await newImport(into: target)
            transfer.batchSize = batchSize
            do {
                try await transfer.run { _ in }
                if transfer.lossCount > 0 {
                    throw Failure(description: "\(transfer.lossCount) lines were passed over.")
                }
                break
            } catch CabinetError.Code.networkFailure {
                interruptions += 1
            }
            removeAllInjections()
            // The import was complete, and only the answer to its last transaction was lost: the next one begins again, over records
            // that all exist.
            let stored = try await transfer.state.position()
            if stored == nil, transfer.position.line == (try objects().count) {
                (edited, single) = ([:], [])
            }
            // A saved line is not imported again, so an edit of another client is kept.
            let database = try Container(identifier: "model", backend: sink).privateDatabase
            for id in single where edited[id] == nil && random.number(below: 2) == 0 {
                guard var record = try? await database.record(for: id) else { continue }
                edited[id] = random.number(below: 1000)
                record["edited"] = edited[id]
                try await database.save(record)
            }
        }
        removeAllInjections()
        try await check(edited)
        return interruptions
    }

    private func removeAllInjections() {
        for backend in [sink, positions] { backend?.removeAllInjections() }
    }

    private func newImport(into target: any StorageBackend) async throws -> DatabaseImport {
        guard let positions else {
            let container = try Container(identifier: "model", backend: target)
            return try await DatabaseImport(of: file, into: container.privateDatabase, of: container)
        }
        let container = try Container(identifier: "model", service: LocalDatabaseService(backend: target))
        let store: any StorageBackend =
            mistake == .forgottenRequest ? ForgetfulBackend(base: positions) : positions
        return try await DatabaseImport(
            of: file, into: container.privateDatabase, of: container, positionsIn: (store, "a server"))
    }

    /// Checks the edits of another client, and undoes them.
    private func check(_ edited: [RecordID: Int]) async throws {
        let database = try Container(identifier: "model", backend: sink).privateDatabase
        for (id, number) in edited {
            var record = try await database.record(for: id)
            guard record["edited"] as? Int == number else {
                throw Failure(description: "The edit of \(id) was lost: its line was imported twice.")
            }
            record["edited"] = nil
            try await database.save(record)
        }
    }

    /// The records of the type without references that have one line.
    private func linesOfSinglePlainRecords() throws -> [RecordID] {
        var counts: [RecordID: (count: Int, isPlain: Bool)] = [:]
        for object in try objects() {
            let content = object["deleted"] ?? object
            guard let name = content["recordName"]?.string else { continue }
            let zone = content["zone"]?.string.map { RecordZone.ID(zoneName: $0) } ?? .default
            let isPlain = object["deleted"] == nil && content["recordType"]?.string == "Plain"
            counts[RecordID(recordName: name, zoneID: zone), default: (0, isPlain)].count += 1
        }
        return counts.filter { $0.value == (1, true) }.keys.sorted { $0.description < $1.description }
    }

    private func objects() throws -> [JSONValue] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { try JSONValue(record: String($0)) }
    }

    private func edit(_ change: (JSONValue) -> JSONValue?) throws {
        let lines = try objects().dropLast().compactMap(change).map { "\($0)\n" }
        try (lines.joined() + "{\"end\":\(lines.count)}\n").write(to: file, atomically: true, encoding: .utf8)
    }

    /// Compares both databases.
    private func compare() async throws {
        let expected = try await content(of: source)
        let found = try await content(of: sink)
        for key in Set(expected.keys).union(found.keys).sorted() where expected[key] != found[key] {
            throw Failure(
                description:
                    "\(key): the source has \(expected[key] ?? "nothing"), the target \(found[key] ?? "nothing")")
        }
        let entries = try await (positions ?? sink).read(.private(owner: Account.default.userRecordName)) {
            try await $0.entries(in: StorageKey("import/")..<StorageKey("import0"), limit: 10)
        }
        if let entry = entries.first { throw Failure(description: "The entry \(entry.key) stays after the import.") }
    }

    /// The zones and records of a database as texts.
    private func content(of backend: any StorageBackend) async throws -> [String: String] {
        let database = try Container(identifier: "model", backend: backend).privateDatabase
        var content: [String: String] = [:]
        for zone in try await database.allRecordZones().map(\.zoneID) {
            content[zone.zoneName] = "zone"
            for try await page in database.recordZoneChangeSequence(inZoneWith: zone, since: nil) {
                for record in page.modifications.map(\.record) {
                    content["\(zone.zoneName)/\(record.recordID.recordName)"] =
                        RecordJSON.object(record, hasSystemFields: false).description
                }
            }
        }
        return content
    }
}

extension JSONValue {
    /// The value without the checksums and sizes of assets.
    fileprivate var withoutChecksums: JSONValue {
        switch self {
        case .array(let values): .array(values.map(\.withoutChecksums))
        case .object(let members):
            .object(
                members.filter { self["asset"] == nil || !["asset", "size"].contains($0.key) }
                    .map { Member(key: $0.key, value: $0.value.withoutChecksums) })
        default: self
        }
    }
}

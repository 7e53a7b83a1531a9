import Cabinet
import CabinetTesting
import Foundation

/// A client that writes records of its own, and remembers what the server has acknowledged.
///
/// Every request ends with an answer: the client waits as long as the server is away. So a record is exactly as the last answer said.
final class LedgerWriter {
    static let recordType = "Entries"
    static let counterType = "Counters"
    /// The counters that all clients increment.
    static let counters = (0..<4).map { RecordID(recordName: "counter-\($0)") }

    /// The acknowledged records.
    private(set) var records: [RecordID: Record] = [:]
    /// The records whose deletion was acknowledged.
    private(set) var deletions: Set<RecordID> = []
    /// The numbers that the client has drawn from each counter.
    private(set) var drawn: [RecordID: [Int]] = [:]
    /// The bytes of the assets.
    private(set) var assets: [RecordID: Data] = [:]
    private(set) var operations = 0

    private let database: Database
    private let name: String
    private var generator: SeededGenerator

    init(_ client: Container, name: String, seed: UInt64) {
        database = client.privateDatabase
        self.name = name
        generator = SeededGenerator(seed: seed)
    }

    /// Writes until a condition holds.
    func write(until isDone: () -> Bool) async throws {
        while !isDone() {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<3: try await save()
            case 3..<6: try await saveBatch()
            case 6..<8: try await draw()
            case 8: try await delete()
            default: try await saveAsset()
            }
            operations += 1
        }
    }

    /// Creates the counters.
    static func addCounters(to database: Database) async throws {
        try await database.save(
            counters.map { id in
                var counter = Record(recordType: counterType, recordID: id)
                counter["value"] = 0
                return counter
            })
    }

    // MARK: -

    private func save() async throws {
        let record = nextVersion(of: existing ?? newID())
        remember(try await database.save(record))
    }

    /// Saves some records, and deletes another one, at once.
    private func saveBatch() async throws {
        let ids = Set((0..<Int.random(in: 1...5, using: &generator)).map { _ in existing ?? newID() })
        let deleted = existing.flatMap { ids.contains($0) ? nil : $0 }
        for record in try await database.save(
            ids.sorted { $0.recordName < $1.recordName }.map(nextVersion), deleting: deleted.map { [$0] } ?? [])
        {
            remember(record)
        }
        if let deleted { forget(deleted) }
    }

    /// Increments a counter, and records the number in a record of the client's own.
    private func draw() async throws {
        let id = Self.counters.randomElement(using: &generator) ?? Self.counters[0]
        let record = nextVersion(of: newID())
        let (saved, number) = try await database.transaction(attempts: 10_000) { transaction in
            var counter = try await transaction.record(for: id)
            let number = (counter["value"] as? Int ?? 0) + 1
            counter["value"] = number
            try transaction.save(counter)
            var record = record
            record["number"] = number
            try transaction.save(record)
            return (record, number)
        }
        drawn[id, default: []].append(number)
        remember(try await database.record(for: saved.recordID))
    }

    private func delete() async throws {
        guard let id = existing else { return try await save() }
        forget(try await database.deleteRecord(withID: id))
    }

    private func saveAsset() async throws {
        // Small ones are looked up by their checksum, large ones are sent in parts.
        let count =
            Int.random(in: 0..<4, using: &generator) == 0 ? 2_500_000 : Int.random(in: 0...60_000, using: &generator)
        let bytes = Data(
            (0..<(count + 7) / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }.prefix(count))
        var record = nextVersion(of: existing ?? newID())
        record["file"] = Asset(data: bytes)
        let saved = try await database.save(record)
        remember(saved)
        assets[saved.recordID] = bytes
    }

    private var existing: RecordID? {
        guard !records.isEmpty, Bool.random(using: &generator) else { return nil }
        return records.keys.sorted { $0.recordName < $1.recordName }.randomElement(using: &generator)
    }

    private func newID() -> RecordID {
        RecordID(recordName: "\(name)-\(String(generator.next(), radix: 36))")
    }

    private func nextVersion(of id: RecordID) -> Record {
        var record = records[id] ?? Record(recordType: Self.recordType, recordID: id)
        record["version"] = (record["version"] as? Int ?? 0) + 1
        record["text"] = String(repeating: "x", count: Int.random(in: 0..<200, using: &generator))
        return record
    }

    private func remember(_ record: Record) {
        records[record.recordID] = record
        deletions.remove(record.recordID)
    }

    private func forget(_ id: RecordID) {
        records[id] = nil
        assets[id] = nil
        deletions.insert(id)
    }
}

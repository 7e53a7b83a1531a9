import BackendTestSupport
import Cabinet
import CabinetSQLite
import CabinetTesting
import Foundation
import Testing

@testable import CabinetConformance

/// Stores to copy, and their content for comparison.
enum CopySamples {
    static let users = ["_anna", "_ben"]
    static let databases: [DatabaseKey] = [.public] + users.map { .private(owner: $0) }
    /// The size of an asset that needs several reads.
    static let bigSize = (1 << 20) + 1000

    static func container(
        _ backend: any StorageBackend, user: String = "_anna", retention: ChangeRetention = ChangeRetention(),
        clock: TestClock = TestClock()
    ) throws -> Container {
        try Container(
            identifier: "com.example.copies", backend: backend, account: Account(userRecordName: user),
            changeRetention: retention, now: clock.now)
    }

    /// Saves an item of every kind.
    ///
    /// - Parameter size: The number of bytes of the largest asset.
    static func fill(_ backend: any StorageBackend, size: Int = 5000) async throws {
        for user in users {
            let clock = TestClock(Date(timeIntervalSinceReferenceDate: 790_000_000.1))
            let container = try container(backend, user: user, clock: clock)
            var schema = Schema()
            schema["Items"]["number"] = Schema.Field(.int64, [.queryable, .sortable])
            schema["Items"]["text"] = Schema.Field(.string, .searchable)
            schema["Items"].indexes = [["number", "text"]]
            try await container.apply(schema)
            for database in [container.privateDatabase, container.publicDatabase] {
                try await fill(database, user, clock, size)
            }
        }
    }

    private static func fill(
        _ database: Database, _ user: String, _ clock: TestClock, _ size: Int
    ) async throws {
        let zone = RecordZone(zoneName: "Zone of \(user.dropFirst())")
        let gone = RecordZone(zoneName: "Gone of \(user.dropFirst())")
        _ = try await database.modifyRecordZones(saving: [zone, gone], deleting: [])
        _ = try await database.modifyRecordZones(saving: [], deleting: [gone.zoneID])
        let shared = Asset(data: AssetSamples.bytes(1000, seed: 5))
        for (index, zoneID) in [RecordZone.ID.default, zone.zoneID].enumerated() {
            var records: [Record] = []
            for number in 0..<25 {
                var record = Record(
                    recordType: number.isMultiple(of: 5) ? "Lists" : "Items",
                    recordID: RecordID(recordName: "\(user.dropFirst())-\(number)", zoneID: zoneID))
                record["number"] = number - 10
                record["text"] = ["Äpfel", "a\u{308}", "", "a\u{0}b"][number % 4]
                record["size"] = [0.1, -0.0, .infinity, 1e-300, Double.leastNonzeroMagnitude][number % 5]
                record["date"] = clock.now().addingTimeInterval(Double(number) / 3)
                record["bytes"] = Data([0, 255, UInt8(number)])
                record["place"] = Location(latitude: 50.1, longitude: Double(number))
                record["words"] = number.isMultiple(of: 3) ? ["x", "y\(number)"] : [String]()
                if let first = records.first {
                    record["list"] = Reference(recordID: first.recordID, action: .deleteSelf)
                    record.setParent(first.recordID)
                }
                if number % 7 == 3 { record["file"] = shared }
                if number == 8 { record["file"] = Asset(data: AssetSamples.bytes(300, seed: UInt64(index + 7))) }
                if number == 9 { record["file"] = Asset(data: Data()) }
                if number == 10 { record["file"] = Asset(data: AssetSamples.bytes(size, seed: 9)) }
                records.append(record)
            }
            let saved = try await database.modifyRecords(saving: records, deleting: []).saveResults
            clock.advance(by: 10.7)
            let changed = try saved[records[6].recordID]?.get().with(["number": 77])
            _ = try await database.modifyRecords(
                saving: [#require(changed)], deleting: [records[12].recordID, records[18].recordID])
        }
        try await database.save(
            QuerySubscription(
                recordType: "Items", filter: .field("size") < Double.infinity, subscriptionID: "query",
                options: [.firesOnRecordUpdate]))
        if database.databaseScope == .private {
            try await database.save(DatabaseSubscription(subscriptionID: "all"))
        }
    }
}

/// Everything that a copy must have, read differently from the copy.
struct StoreDump: Hashable, Sendable {
    var recordTypes: [String: [String: FieldType]] = [:]
    var indexes: [String: Set<StoredIndex>] = [:]
    /// The creators of zones by the keys of their entries.
    var zones: [String: String] = [:]
    var records: Set<StoredRecord> = []
    var subscriptions: Set<StoredSubscription> = []
    var assets: [StoredAsset: Data] = [:]

    init(_ backend: any StorageBackend, _ database: DatabaseKey) async throws {
        self = try await backend.read(database) { snapshot in
            let schema = try await snapshot.schema()
            var dump = StoreDump()
            dump.recordTypes = schema.recordTypes
            dump.indexes = schema.indexes.filter { !$0.value.isEmpty }
            let all = StorageKey(" ")..<StorageKey("~")
            for entry in try await snapshot.entries(in: all, limit: .max) {
                if let zone = ZoneEntry(entry) {
                    if zone.name != RecordZone.ID.default.zoneName { dump.zones[entry.key.text] = zone.creator }
                } else if entry.key.text.hasPrefix("subscriptionByTopic/") {
                    let data = Data(entry.text.utf8)
                    dump.subscriptions.insert(try JSONDecoder().decode(StoredSubscription.self, from: data))
                }
            }
            for (type, fields) in schema.recordTypes {
                let plan = try QueryPlan(recordType: type, filter: .constant(true), fields: FieldTypes(fields))
                dump.records.formUnion(try await snapshot.records(matching: plan))
            }
            let assets = try #require(snapshot.abilities.assets)
            for asset in try await assets.assets(after: nil, limit: .max) {
                var bytes = Data()
                while bytes.count < asset.size {
                    let range = Int64(bytes.count)..<min(asset.size, Int64(bytes.count) + 1 << 20)
                    bytes += try #require(try await assets.bytes(of: asset.checksum, in: range))
                }
                dump.assets[asset] = bytes
            }
            return dump
        }
    }

    private init() {}

    /// The content of several databases of a store.
    static func all(
        _ backend: any StorageBackend, _ databases: [DatabaseKey] = CopySamples.databases
    ) async throws -> [DatabaseKey: StoreDump] {
        var dumps: [DatabaseKey: StoreDump] = [:]
        for database in databases { dumps[database] = try await StoreDump(backend, database) }
        return dumps
    }
}

/// Two kinds of stores, one to be copied into the other.
struct CopyRoute: CaseIterable, Sendable, CustomTestStringConvertible {
    let source: BackendKind
    let target: BackendKind

    /// The pairs of kinds within this process.
    static let local = BackendKind.local.flatMap { source in
        BackendKind.local.map { CopyRoute(source: source, target: $0) }
    }

    static let allCases =
        local + [
            CopyRoute(source: .sqlite, target: .postgres), CopyRoute(source: .postgres, target: .sqlite),
            CopyRoute(source: .postgres, target: .postgres),
        ]

    var testDescription: String { "\(source.rawValue) → \(target.rawValue)" }

    /// Runs a closure with new, empty stores.
    func with(_ body: (_ source: any StorageBackend, _ target: any StorageBackend) async throws -> Void) async throws {
        try await TestDirectory.with { directory in
            let source = try await source.new(in: directory.appending(path: "source"))
            let target = try await target.new(in: directory.appending(path: "target"))
            try await body(source, target)
            await source.close()
            await target.close()
        }
    }
}

extension BackendKind {
    func new(in directory: URL) async throws -> any StorageBackend {
        switch self {
        case .memory: MemoryBackend()
        case .sqlite: SQLiteBackend(directory: directory)
        case .postgres: try await Self.onServer()
        }
    }
}

import Cabinet

/// Runs operations, and measures the time that they take.
final class SpeedMeasurement {
    let database: Database
    let count: Int
    private(set) var figures: [SpeedReport.Figure] = []

    init(database: Database, count: Int) {
        self.database = database
        self.count = count
    }

    private let clock = ContinuousClock()
    private static let batch = 200

    /// The number of operations that run one by one, which takes longer.
    private var few: Int { max(count / 10, 1) }

    private func measure(_ name: String, _ number: Int, _ body: () async throws -> Void) async throws {
        let start = clock.now
        try await body()
        figures.append(SpeedReport.Figure(name: name, count: number, duration: clock.now - start))
    }

    private func item(_ name: String, _ number: Int) -> Record {
        Record(
            "Items", name,
            ["name": "Item \(number)", "number": number, "group": number % 10, "list": Reference("list", .deleteSelf)])
    }

    func save() async throws {
        try await database.save(Record("Lists", "list", ["name": "Groceries"]))
        let all = (0..<count).map { item("r\($0)", $0) }
        try await measure("records saved, \(Self.batch) at a time", count) {
            for part in all.parts(of: Self.batch) { try await database.saveAll(Array(part)) }
        }
        let singles = (0..<few).map { item("s\($0)", $0) }
        try await measure("records saved one by one", few) {
            for record in singles { try await database.save(record) }
        }
        let crowd = (0..<few).map { item("t\($0)", $0) }
        try await measure("records saved one by one, by 8 at once", few) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for client in 0..<8 {
                    group.addTask { [database] in
                        for index in stride(from: client, to: crowd.count, by: 8) {
                            try await database.save(crowd[index])
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    func read() async throws {
        let ids = (0..<count).map { RecordID.named("r\($0)") }
        try await measure("records fetched, \(Self.batch) at a time", count) {
            for part in ids.parts(of: Self.batch) {
                let results = try await database.records(for: Array(part))
                try expect("The records", results.values.count { (try? $0.get()) != nil }, equals: part.count)
            }
        }
        try await measure("records fetched one by one", few) {
            for id in ids.prefix(few) { _ = try await database.record(for: id) }
        }
    }

    func query() async throws {
        let total = count + 2 * few
        let group = Query(recordType: "Items", filter: .field("group") == 3, sortedBy: [Sort("number")])
        try await measure("queries: a tenth of the records, sorted, 20 of them", 20) {
            for _ in 0..<20 { _ = try await database.records(matching: group, resultsLimit: 20) }
        }
        try await measure("records queried, page by page", total) {
            let query = Query(recordType: "Items", sortedBy: [Sort("number")])
            try expect("The records", try await database.allRecords(matching: query).count, equals: total)
        }
        try await measure("queries: the number of records", 20) {
            for _ in 0..<20 {
                try expect("The number", try await database.count(matching: Query(recordType: "Items")), equals: total)
            }
        }
    }

    func follow() async throws {
        var device = Device(database)
        try await measure("changes fetched from the beginning", count + 2 * few + 1) {
            try expect("The changes", try await device.update().count, equals: count + 2 * few + 1)
        }
        let changed = (0..<few).map { RecordID.named("r\($0)") }
        try await measure("records changed, and fetched as changes, one by one", few) {
            for id in changed {
                try await database.update(id) { $0["number"] = 0 }
                try expect("The changes", try await device.update(), equals: ["+\(id.recordName)"])
            }
        }
        try await measure("records deleted with their list", count + 2 * few) {
            try await database.deleteRecord(withID: .named("list"))
            try expect("The records", try await database.count(matching: Query(recordType: "Items")), equals: 0)
        }
    }
}

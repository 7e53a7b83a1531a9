import Cabinet
import CabinetTesting

extension ConformanceRule {
    /// Returns a rule that writes generated records, and compares live results with those of their queries.
    ///
    /// Records enter and leave queries, change their groups and positions, are deleted and return under another type; zones are
    /// deleted and recreated. After each commit, every observed query, count and aggregate has the value of its query, and has
    /// reported it once.
    ///
    /// - Parameters:
    ///   - seed: The seed of the generator; the same seed generates the same commits.
    ///   - commits: The number of commits to generate.
    public static func randomObservations(seed: UInt64, commits: Int = 300) -> ConformanceRule {
        let count = max(commits, 0)
        return ConformanceRule(
            .observation, "live results are those of their queries (seed \(seed), \(count) commits)",
            law:
                "After each commit, an observed query or aggregate has the value of its query, and has reported it once.",
            source: .cabinet("live queries")
        ) { world in
            let container = try world.container()
            let database = container.privateDatabase
            var random = SeededGenerator(seed: seed)
            try await database.save(RecordZone(zoneID: LiveCommit.zone))
            try await database.saveAll(LiveCommit.first)
            var results = LiveResultProbe.all(of: database)
            for number in 0...count {
                let commit = number == 0 ? nil : LiveCommit.random(using: &random)
                try await commit?.perform(in: database)
                for index in results.indices {
                    try await results[index].check(after: "commit \(number), \(commit?.description ?? "none")")
                }
            }
            // Most commits must change some results, or nothing is proved.
            let changes = results.map(\.changes).reduce(0, +)
            try expect(changes >= 2 * count, "Only \(changes) values were reported.")
        }
    }
}

/// A commit of generated changes.
private enum LiveCommit: CustomStringConvertible {
    case batch([Record], deleting: [RecordID])
    case saveZone
    case deleteZone

    static let zone = RecordZone.ID(zoneName: "Home")

    /// A record with each field, so that no commit adds one, and the lists.
    static var first: [Record] {
        let fields: KeyValuePairs<String, (any RecordValue)?> = [
            "n": 1, "d": 0.5, "s": "a", "list": Reference("one"),
        ]
        return [Record("Items", "r0", fields), Record("Lists", "one", ["name": "x", "n": 4]), Record("Lists", "two")]
    }

    static func random(using random: inout SeededGenerator) -> LiveCommit {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        if Int.random(in: 0..<12, using: &random) == 0 { return pick([.saveZone, .deleteZone]) }
        var (saves, deletions): ([RecordID: Record], Set<RecordID>) = ([:], [])
        for _ in 0..<pick([1, 1, 1, 2, 5]) {
            let isList = Int.random(in: 0..<8, using: &random) == 0
            let name = isList ? pick(["one", "two"]) : "r\(Int.random(in: 0..<12, using: &random))"
            let id = RecordID(recordName: name, zoneID: isList ? .default : pick([.default, .default, zone]))
            if Int.random(in: 0..<4, using: &random) == 0 {
                deletions.insert(id)
                continue
            }
            var record = Record(
                recordType: isList ? "Lists" : pick(["Items", "Items", "Items", "Others"]), recordID: id)
            record["n"] = pick([nil, 0, 1, 2, 3, 4, 5])
            record[isList ? "name" : "s"] = pick(["x", "y", "B", "b", "a", nil])
            if !isList {
                record["d"] = pick([nil, 0.5, 1e16, -1e16, 0.1, -0.0, 3])
                record["list"] = pick([nil, Reference("one"), Reference("two"), Reference("gone")])
            }
            saves[id] = record
        }
        return .batch(saves.values.filter { !deletions.contains($0.recordID) }, deleting: Array(deletions))
    }

    func perform(in database: Database) async throws {
        switch self {
        case .saveZone: try await database.save(RecordZone(zoneID: Self.zone))
        case .deleteZone: _ = try await database.modifyRecordZones(saving: [], deleting: [Self.zone])
        case .batch(let records, let deletions):
            // A record of another type, or one in a deleted zone, is refused.
            _ = try await database.modifyRecords(
                saving: records, deleting: deletions, savePolicy: .allKeys, atomically: false)
        }
    }

    var description: String {
        switch self {
        case .saveZone: "save the zone"
        case .deleteZone: "delete the zone"
        case .batch(let records, let deletions):
            (records.map { record in
                let fields = record.map { "\($0)=\($1.fieldValue?.description ?? "")" }
                return "save \(record.recordType) \(record.recordID) \(fields)"
            } + deletions.map { "delete \($0)" }).joined(separator: "; ")
        }
    }
}

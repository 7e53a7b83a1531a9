import Cabinet

/// A live result, and the query whose value it must have.
struct LiveResultProbe {
    let name: String
    /// The number of values that were reported.
    private(set) var changes = 0
    private var last: String?
    /// Waits for the next value.
    private let next: () async throws -> String
    /// Runs the query.
    private let current: () async throws -> String

    /// Throws unless the live result has the query's value, and has reported it if it is new.
    mutating func check(after commit: String) async throws {
        let expected = try await Self.text(current)
        if expected == last { return }
        let found = try await Self.text(next)
        try expect("\(name) after \(commit)", found, equals: expected)
        last = expected
        changes += 1
    }

    /// A value, or the code of an error that the query and the live result both throw.
    private static func text(_ value: () async throws -> String) async throws -> String {
        do {
            return try await value()
        } catch let error as CabinetError where [.zoneNotFound, .invalidArguments].contains(error.code) {
            return "\(error.code)"
        }
    }

    private init<Values: AsyncSequence & Sendable>(
        _ name: String, _ values: Values, _ describe: @escaping (Values.Element) -> String,
        _ current: @escaping () async throws -> Values.Element
    ) {
        self.name = name
        let iterator = ProbeIterator(values)
        next = { describe(try require(try await iterator.next(), "The next value of \(name)")) }
        self.current = { describe(try await current()) }
    }
}

/// An iterator that closures share.
private final class ProbeIterator<Values: AsyncSequence> {
    private var values: Values.AsyncIterator

    init(_ sequence: Values) { values = sequence.makeAsyncIterator() }

    func next() async throws -> Values.Element? { try await values.next() }
}

extension LiveResultProbe {
    /// Queries, counts and aggregates, by fields and by key paths, of all zones and of one.
    static func all(of database: Database) -> [LiveResultProbe] {
        aggregates(of: database) + groups(of: database)
            + records(of: database, [Sort("n", ascending: false), "s"], limits: [nil, 3])
            + records(of: database, [Sort("s", options: .caseInsensitive)], limits: [1, 5])
            + records(of: database, [], limits: [2]) + records(of: database, ["list.name", "d"], limits: [nil, 2])
    }

    private static let many = Query(recordType: "Items", filter: .field("n") >= 2)
    private static let all = Query(recordType: "Items")

    private static func aggregates(of database: Database) -> [LiveResultProbe] {
        let path = Query(recordType: "Items", filter: .field("list.name") == "x")
        let home = database.inZone(RecordZone.ID(zoneName: "Home"))
        func number(_ value: some Any) -> String { "\(value)" }
        return [
            LiveResultProbe("The count", database.observeCount(matching: many), number) {
                try await database.count(matching: many)
            },
            LiveResultProbe("The count by a key path", database.observeCount(matching: path), number) {
                try await database.count(matching: path)
            },
            LiveResultProbe("The count of a zone", home.observeCount(matching: all), number) {
                try await home.count(matching: all)
            },
            LiveResultProbe("The sum", database.observeSum(of: "d", matching: all), number) {
                try await database.sum(of: "d", matching: all)
            },
            LiveResultProbe("The sum of a zone", home.observeSum(of: "n", matching: many, as: Int.self), number) {
                try await home.sum(of: "n", matching: many, as: Int.self)
            },
            LiveResultProbe("The average", database.observeAverage(of: "d", matching: many), number) {
                try await database.average(of: "d", matching: many)
            },
            LiveResultProbe("The minimum", database.observeMinimum(of: "s", matching: all), value) {
                try await database.minimum(of: "s", matching: all)
            },
            LiveResultProbe("The maximum", database.observeMaximum(of: "n", matching: all), value) {
                try await database.maximum(of: "n", matching: all)
            },
        ]
    }

    private static func groups(of database: Database) -> [LiveResultProbe] {
        [
            LiveResultProbe(
                "The counts by a field", database.observeCounts(by: "s", matching: many), lines(\.value, \.count)
            ) { try await database.counts(by: "s", matching: many) },
            LiveResultProbe(
                "The counts by a key path", database.observeCounts(by: "list.n", matching: all), lines(\.value, \.count)
            ) { try await database.counts(by: "list.n", matching: all) },
            LiveResultProbe(
                "The sums", database.observeSums(of: "d", by: "list", matching: all), lines(\.value, \.sum)
            ) { try await database.sums(of: "d", by: "list", matching: all) },
            LiveResultProbe(
                "The averages", database.observeAverages(of: "n", by: "d", matching: all), lines(\.value, \.average)
            ) { try await database.averages(of: "n", by: "d", matching: all) },
            LiveResultProbe(
                "The minima", database.observeMinima(of: "n", by: "s", matching: all), lines(\.value, \.minimum)
            ) { try await database.minima(of: "n", by: "s", matching: all) },
            LiveResultProbe(
                "The maxima", database.observeMaxima(of: "s", by: "n", matching: all), lines(\.value, \.maximum)
            ) { try await database.maxima(of: "s", by: "n", matching: all) },
        ]
    }

    private static func records(of database: Database, _ order: [Sort], limits: [Int?]) -> [LiveResultProbe] {
        let query = Query(recordType: "Items", filter: .field("n") != 1, sortedBy: order)
        return limits.map { limit in
            LiveResultProbe(
                "The records by \(order.map(\.key))\(limit.map { ", \($0) at most" } ?? "")",
                database.observe(query, limit: limit),
                { "\($0.map { "\($0.recordID) \($0.recordChangeTag ?? "")" })" },
                { try await database.allRecords(matching: query, limit: limit) })
        }
    }

    private static func value(_ value: (any RecordValue)?) -> String { value.map { "\($0)" } ?? "nil" }

    private static func lines<Group, Value>(
        _ group: @escaping (Group) -> (any RecordValue)?, _ aggregate: @escaping (Group) -> Value
    ) -> ([Group]) -> String {
        { groups in "\(groups.map { "\(value(group($0))): \(aggregate($0))" })" }
    }
}

import Foundation

/// Runs the work of all rows on each competitor in turn, several times, and compares their results.
struct Coordinator {
    let suite: Suite
    let options: Options
    let count: Int
    /// The folder of the competitors' stores.
    let folder: URL
    /// A connection string of a new PostgreSQL database.
    let connection: () async throws -> String?
    /// The main process of the PostgreSQL server.
    let server: Int?

    /// The number of stores to fill.
    var fills: Int { suite.isRunOnce || count > Options.largestRefilled ? 1 : options.rounds }
    /// The number of times that each store repeats the rows that follow.
    var turns: Int { !suite.isRunOnce && count > Options.largestRefilled ? min(options.rounds, 3) : 1 }

    private typealias Entry = (name: Competition, contestant: any Contestant)

    private var rows: [Row] {
        suite.rows.filter { row in
            options.rows.map { row.id == "a" || $0.contains(row.id) } ?? true
        }
    }

    /// The competitors.
    private var competitors: [Competition] { options.isProfile ? [suite.own] : suite.competitors }

    func run() async throws -> Results {
        var results = Results(suite: suite, rows: rows, count: count, fills: fills, turns: turns)
        for fill in 0..<fills {
            Log.note("\(suite.title), N = \(count): store \(fill + 1) of \(fills)")
            try await run(fill, &results)
        }
        return results
    }

    private func run(_ fill: Int, _ results: inout Results) async throws {
        let place = folder.appending(path: "\(suite.id)-\(count)-\(fill)")
        defer { try? FileManager.default.removeItem(at: place) }
        let orders = try await orders(in: place)
        try await with(orders) { contestants in
            for row in rows where row.phase == .filling { try await run(row, 0, fill, contestants, &results) }
            for turn in 0..<turns {
                if turns > 1 { Log.note("round \(turn + 1) of \(turns)") }
                for row in rows where row.phase == .main {
                    try await run(row, turn, fill + turn, contestants, &results)
                }
            }
            try await compare(.reviewing, Row.bulk, 0, contestants)
            for turn in 0..<turns {
                for row in rows where row.phase == .last {
                    try await run(row, turn, fill + turn, contestants, &results)
                }
            }
            if fill == 0, let own = contestants.last?.contestant {
                let command = Worker.Command(step: .explaining, row: "", turn: 0)
                results.explanations = try await own.perform(command).texts
            }
        }
        let last = rows.filter { $0.phase == .restarted }
        if last.isEmpty { return }
        try await with(orders) { contestants in
            for row in last { try await run(row, 0, fill, contestants, &results) }
        }
    }

    /// The location of each competitor's store.
    private func orders(in place: URL) async throws -> [Worker.Order] {
        var orders: [Worker.Order] = []
        for name in competitors {
            let order = Worker.Order(
                suite: suite.id, competition: name, count: count, turns: turns, seconds: options.seconds,
                folder: place.appending(path: name.rawValue), connection: try await connection(),
                server: server)
            try FileManager.default.createDirectory(at: order.folder, withIntermediateDirectories: true)
            orders.append(order)
        }
        return orders
    }

    /// Runs workers of the competitors, and ends them.
    private func with(_ orders: [Worker.Order], _ work: ([Entry]) async throws -> Void) async throws {
        var contestants: [Entry] = []
        do {
            for order in orders {
                // A profiler sees only this process.
                let contestant: any Contestant = options.isProfile ? try await Worker(order) : try WorkerProcess(order)
                contestants.append((order.competition, contestant))
            }
            try await work(contestants)
        } catch {
            for (_, contestant) in contestants { try? await contestant.close() }
            throw error
        }
        for (_, contestant) in contestants { try await contestant.close() }
    }

    private func run(
        _ row: Row, _ turn: Int, _ round: Int, _ contestants: [Entry],
        _ results: inout Results
    ) async throws {
        for slice in 0..<row.slices { try await run(row, turn, slice, round + slice, contestants, &results) }
    }

    /// Runs one row's work on every competitor; another one begins each time.
    private func run(
        _ row: Row, _ turn: Int, _ slice: Int, _ round: Int,
        _ contestants: [Entry],
        _ results: inout Results
    ) async throws {
        let first = round % contestants.count
        let order = Array(contestants[first...] + contestants[..<first])
        for (_, contestant) in order {
            _ = try await contestant.perform(Worker.Command(step: .preparing, row: row.id, turn: turn, slice: slice))
        }
        // Digesting the results also gives all competitors the same warm caches.
        if row.isReading, slice == 0, turn == 0 || !row.isLong { try await compare(.checking, row, turn, order) }
        var rowCounts: [Int: [Competition]] = [:]
        for (name, contestant) in order {
            let outcome = try await contestant.perform(
                Worker.Command(step: .measuring, row: row.id, turn: turn, slice: slice))
            rowCounts[outcome.answer.rows, default: []].append(name)
            results.add(outcome, of: row, for: name)
        }
        guard rowCounts.count <= 1 else {
            throw BenchmarkFailure("Row \(row.id): the numbers of rows differ: \(rowCounts.keys.sorted())")
        }
        for (_, contestant) in order {
            _ = try await contestant.perform(Worker.Command(step: .ending, row: row.id, turn: turn, slice: slice))
        }
    }

    /// A fast wrong result does not count.
    private func compare(
        _ step: Worker.Step, _ row: Row, _ turn: Int, _ contestants: [Entry]
    ) async throws {
        var answers: [Tally.Answer: [Competition]] = [:]
        for (name, contestant) in contestants {
            var answer = try await contestant.perform(Worker.Command(step: step, row: row.id, turn: turn)).answer
            if !row.isOrdered || step == .reviewing { answer.chain = 0 }
            answers[answer, default: []].append(name)
        }
        if answers.count > 1 {
            let subject =
                step == .reviewing ? "The content of the stores after the rows" : "Row \(row.id): the read rows"
            let list = answers.map { "\($0) by \($1.map(\.rawValue).joined(separator: " and "))" }
            throw BenchmarkFailure("\(subject) differs: \(list.sorted().joined(separator: "; "))")
        }
        if row.isReading, answers.keys.contains(where: { $0.rows == 0 }) {
            throw BenchmarkFailure("Row \(row.id): nothing was found, which measures nothing.")
        }
    }
}

/// A progress message.
enum Log {
    static func note(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

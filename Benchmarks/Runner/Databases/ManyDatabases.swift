import Foundation
import PostgresTestSupport

/// Saves per second in one database and in many, beside the same statements by `pgbench`.
///
/// Every commit waits for the disk.
struct ManyDatabases {
    let rounds: Int

    static let id = "databases"

    /// A number of processes and tasks, and the databases in which they save.
    private struct Load {
        let title: String
        var processes = 1
        let databases: Int
        var rates: [Double] = []
        var processorTimes: [Double] = []
        var statementRates: [Double] = []

        /// The databases of a process.
        func databases(of process: Int) -> Range<Int> {
            let share = databases / processes
            return share == 0 ? 0..<1 : process * share..<(process + 1) * share
        }
    }

    private static let writers = 64
    private static let seconds = 4.0
    private static let schema = "main"
    private static let most = 10_000

    /// Runs all loads in turns.
    ///
    /// - Returns: A table in Markdown.
    func run() async throws -> String {
        let server = try await PostgresServer(isDurable: true)
        let connection = try await server.newDatabase()
        // The databases get their numbers in the order of their first saves.
        _ = try await save(Load(title: "", databases: Self.most), connection, seconds: 0)
        var loads = [
            Load(title: "64 tasks, one database", databases: 1),
            Load(title: "64 tasks, a database each", databases: 64),
            Load(title: "8 processes of 8 tasks, one database", processes: 8, databases: 1),
            Load(title: "8 processes of 8 tasks, a database each", processes: 8, databases: 64),
            Load(title: "64 tasks, 10,000 databases", databases: Self.most),
        ]
        for round in 0..<rounds {
            Log.note("Many databases: round \(round + 1) of \(rounds)")
            for index in loads.indices {
                let (count, processor) = try await save(loads[index], connection)
                loads[index].rates.append(Double(count) / Self.seconds)
                loads[index].processorTimes.append(processor / Double(max(count, 1)))
                loads[index].statementRates.append(try await runStatements(loads[index], server, connection))
            }
        }
        let base = loads[0].rates.median
        let lines = loads.map { load in
            let (rate, statements) = (load.rates.median, load.statementRates.median)
            let cells = [
                load.title, MarkdownTable.format(rate, .perSecond), MarkdownTable.short(rate / base),
                MarkdownTable.format(load.processorTimes.median, .seconds),
                MarkdownTable.format(statements, .perSecond), MarkdownTable.short(rate / statements),
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        let heading = [
            "### PostgreSQL, many databases", "",
            "Saves of one record per second, in the median of \(rounds) rounds of \(Int(Self.seconds)) seconds; goal: many "
                + "databases at least 0.80 of one.", "",
            "| Work | Cabinet | / one database | processor time of a save, client | same statements by pgbench | Cabinet / pgbench |",
            "|---|---|---|---|---|---|",
        ]
        return (heading + lines).joined(separator: "\n")
    }

    /// Runs the processes of a load.
    ///
    /// - Returns: The number of saves, and their processor time.
    private func save(
        _ load: Load, _ connection: String, seconds: Double = seconds
    ) async throws -> (count: Int, processor: Double) {
        let children = try (0..<load.processes).map { process in
            try SaveProcess(
                SaveLoad(
                    connection: connection, schema: Self.schema, tasks: Self.writers / load.processes,
                    databases: load.databases(of: process), seconds: seconds))
        }
        for child in children { try child.waitUntilReady() }
        for child in children { try child.start() }
        var total = (count: 0, processor: 0.0)
        for child in children {
            let (count, processor) = try child.finish()
            total = (total.count + count, total.processor + processor)
        }
        return total
    }

    /// Runs the statements of a save with `pgbench`, in the same databases.
    ///
    /// - Returns: The number of transactions per second.
    private func runStatements(_ load: Load, _ server: PostgresServer, _ connection: String) async throws -> Double {
        let script = server.directory.appending(path: "save.sql")
        let output = server.directory.appending(path: "pgbench.txt")
        let number = load.databases == Self.writers ? ":client_id + 1" : "random(1, \(load.databases))"
        try Data(SaveStatements.script(in: Self.schema, database: number).utf8).write(to: script)
        try Data().write(to: output)
        let database = connection.split(separator: "/").last.map(String.init) ?? ""
        try await server.run(
            "pgbench",
            [
                // A time limit takes a signal, which the threads of Swift's pools block.
                "-n", "-M", "prepared", "-c", "\(Self.writers)", "-j", "2", "-t", "40", "-f", script.path, database,
            ], output: try FileHandle(forWritingTo: output))
        let text = try String(contentsOf: output, encoding: .utf8)
        let rate = text.split(separator: "\n").first { $0.hasPrefix("tps = ") }?.dropFirst(6).prefix { $0 != " " }
        guard let rate, let value = Double(rate) else { throw BenchmarkFailure("pgbench has failed: \(text)") }
        return value
    }
}

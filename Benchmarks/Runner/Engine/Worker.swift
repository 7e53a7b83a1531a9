import Foundation

/// One competitor with a store of its own, which performs commands step by step.
final class Worker {
    /// The competitor, and the location of its store.
    struct Order: Codable {
        var suite: String
        var competition: Competition
        var count: Int
        var turns: Int
        var seconds: Double
        var folder: URL
        /// A PostgreSQL database, for competitors that need one.
        var connection: String?
        /// The main process of its server.
        var server: Int?
    }

    /// A step of a row's work.
    enum Step: String, Codable {
        case preparing
        /// The work with a digest of its results, which is not measured.
        case checking
        case measuring
        case ending
        /// The content of the store, for comparison.
        case reviewing
        /// The access paths of the rows' queries.
        case explaining
    }

    struct Command: Codable {
        var step: Step
        var row: String
        var turn: Int
        var slice = 0
    }

    struct Reply: Codable {
        var outcome: Outcome?
        var failure: String?
    }

    private let order: Order
    private let rows: [Row]
    private let samples: Samples
    private let store: any Competitor
    private let residentBefore: Int

    init(_ order: Order) async throws {
        self.order = order
        rows = Suite.all.first { $0.id == order.suite }?.rows ?? []
        samples = Samples(count: order.count, turns: order.turns)
        store = try order.competition.makeCompetitor(order)
        ProcessUsage.forgetPeak()
        residentBefore = ProcessUsage.residentBytes
        try await store.open("main", isDurable: false)
    }

    /// Performs a step.
    func perform(_ command: Command) async throws -> Outcome {
        let run = Run(
            store: store, samples: samples, turn: command.turn, slice: command.slice,
            seconds: order.seconds, residentBefore: residentBefore, server: order.server,
            isDigesting: command.step == .checking || command.step == .reviewing)
        if command.step == .reviewing {
            try await store.iterate(run.tally)
            return run.outcome
        }
        if command.step == .explaining {
            run.note(try await store.explanations(samples))
            return run.outcome
        }
        guard let row = rows.first(where: { $0.id == command.row }) else {
            throw BenchmarkFailure("There is no row \(command.row).")
        }
        switch command.step {
        case .preparing: try await row.preparation(run)
        case .checking, .measuring: try await row.work(run)
        case .ending: try await row.ending(run)
        case .reviewing, .explaining: break
        }
        return run.outcome
    }

    func close() async throws { try await store.close() }

    /// Performs the commands on standard input, and answers each with a line on standard output, until the input ends.
    static func serve(_ order: Order) async throws {
        let worker = try await Worker(order)
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        while let line = readLine() {
            let command = try JSONDecoder().decode(Command.self, from: Data(line.utf8))
            var reply = Reply()
            do {
                reply.outcome = try await worker.perform(command)
            } catch {
                reply.failure = "\(error)"
            }
            try FileHandle.standardOutput.write(contentsOf: encoder.encode(reply) + Data("\n".utf8))
        }
        try await worker.close()
    }
}

/// One competitor doing the work of one row, once.
///
/// Only one task uses it at a time.
final class Run {
    let store: any Competitor
    let samples: Samples
    /// The number of times that this store has done this work.
    let turn: Int
    /// The slice of the turn.
    let slice: Int
    /// The duration of work with a fixed time.
    let seconds: Double
    /// The memory that the process had before its store was opened.
    let residentBefore: Int
    /// The main process of the PostgreSQL server that the store uses.
    let server: Int?
    let tally: Tally
    /// The number of operations, if it differs from the number of counted rows.
    var operations: Int?
    /// Figures other than time.
    private(set) var notes: [String: Double] = [:]
    /// The access paths of queries.
    private(set) var texts: [String: String] = [:]
    private var processor = 0.0
    private var serverProcessor = 0.0
    private var wall = 0.0
    private var growth = 0
    private var peak = 0

    init(
        store: any Competitor, samples: Samples, turn: Int, slice: Int, seconds: Double, residentBefore: Int,
        server: Int? = nil, isDigesting: Bool
    ) {
        self.store = store
        self.samples = samples
        self.turn = turn
        self.slice = slice
        self.seconds = seconds
        self.residentBefore = residentBefore
        self.server = server
        tally = Tally(isDigesting: isDigesting)
    }

    /// Measures some work.
    ///
    /// Repeated measurements add up.
    ///
    /// - Parameter followsMemory: Whether unused memory is returned before, so that growth is visible.
    func measure(followsMemory: Bool = true, _ work: () async throws -> Void) async rethrows {
        if followsMemory { ProcessUsage.forgetPeak() }
        let resident = ProcessUsage.residentBytes
        let serverProcessor = server.map(ProcessUsage.processorTime) ?? 0
        let processor = ProcessUsage.processorTime
        let start = ContinuousClock.now
        try await work()
        wall += start.duration(to: .now).seconds
        self.processor += ProcessUsage.processorTime - processor
        self.serverProcessor += (server.map(ProcessUsage.processorTime) ?? 0) - serverProcessor
        let peak = ProcessUsage.peakBytes
        growth = max(growth, peak - resident)
        self.peak = max(self.peak, peak)
    }

    /// Adds a figure beside the time.
    func note(_ key: String, _ value: Double) { notes[key] = value }

    func note(_ texts: [String: String]) { self.texts = texts }

    var outcome: Outcome {
        let count = Double(max(operations ?? tally.rows, 1))
        var notes = notes
        if server != nil { notes["total"] = (processor + serverProcessor) / count }
        return Outcome(
            answer: tally.answer, operations: operations ?? tally.rows, processor: processor / count,
            wall: wall / count, growth: Double(growth), peak: Double(peak), notes: notes, texts: texts)
    }
}

/// The result of a run: seconds for each operation, and bytes.
struct Outcome: Codable {
    var answer: Tally.Answer
    var operations: Int
    var processor: Double
    var wall: Double
    /// The maximum growth of the process.
    var growth: Double
    /// The maximum size of the process.
    var peak: Double
    var notes: [String: Double]
    var texts: [String: String]
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension [Double] {
    /// The middle value.
    var median: Double {
        let sorted = sorted()
        return isEmpty ? .nan : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

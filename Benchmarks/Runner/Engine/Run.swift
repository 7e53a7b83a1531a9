/// One competitor doing the work of one row, once.
///
/// It is used by one task at a time.
final class Run {
    let store: any Competitor
    let samples: Samples
    /// Which time it is that this store does this work.
    let turn: Int
    /// Which slice of the turn it is.
    let slice: Int
    /// For how long work is done that ends with time.
    let seconds: Double
    /// The memory that the process had before its store was opened.
    let residentBefore: Int
    let tally: Tally
    /// How many things were done, if that is not the number of rows that were counted.
    var operations: Int?
    /// Other figures than time.
    private(set) var notes: [String: Double] = [:]
    /// How things were found.
    private(set) var texts: [String: String] = [:]
    private var wall = 0.0
    private var cpu = 0.0
    private var laps: [Double] = []
    private var growth = 0
    private var peak = 0

    init(
        store: any Competitor, samples: Samples, turn: Int, slice: Int, seconds: Double, residentBefore: Int,
        isDigesting: Bool
    ) {
        self.store = store
        self.samples = samples
        self.turn = turn
        self.slice = slice
        self.seconds = seconds
        self.residentBefore = residentBefore
        tally = Tally(isDigesting: isDigesting)
    }

    /// Measures some work; what is done several times adds up.
    ///
    /// - Parameter followsMemory: Whether unused memory is given back before, so that its growth can be seen.
    func measure(followsMemory: Bool = true, _ work: () async throws -> Void) async rethrows {
        if followsMemory { ProcessUsage.forgetPeak() }
        let resident = ProcessUsage.residentBytes
        let cpu = ProcessUsage.cpu
        let start = ContinuousClock.now
        try await work()
        wall += start.duration(to: .now).seconds
        self.cpu += ProcessUsage.cpu - cpu
        let peak = ProcessUsage.peakBytes
        growth = max(growth, peak - resident)
        self.peak = max(self.peak, peak)
    }

    /// Measures a call, of many whose median counts.
    func lap(_ work: () async throws -> Void) async rethrows {
        let start = ContinuousClock.now
        try await work()
        laps.append(start.duration(to: .now).seconds)
    }

    /// Says something beside the time.
    func note(_ key: String, _ value: Double) { notes[key] = value }

    func note(_ texts: [String: String]) { self.texts = texts }

    /// How many calls were measured.
    var lapCount: Int { laps.count }

    var outcome: Outcome {
        let count = Double(max(operations ?? tally.rows, 1))
        return Outcome(
            answer: tally.answer, operations: operations ?? tally.rows, wall: wall / count, cpu: cpu / count,
            lap: laps.isEmpty ? nil : laps.median, growth: Double(growth), peak: Double(peak), notes: notes,
            texts: texts)
    }
}

/// What came of a run: seconds for each operation, and bytes.
struct Outcome: Codable {
    var answer: Tally.Answer
    var operations: Int
    var wall: Double
    var cpu: Double
    /// The median of the calls, where they were measured one by one.
    var lap: Double?
    /// By how much the process grew, at most.
    var growth: Double
    /// How large it was, at most.
    var peak: Double
    var notes: [String: Double]
    var texts: [String: String]
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension [Double] {
    /// The middle one of the values.
    var median: Double {
        let sorted = sorted()
        return isEmpty ? .nan : (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

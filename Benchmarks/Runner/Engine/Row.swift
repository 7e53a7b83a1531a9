/// One kind of work, its processor time and wall time, and Cabinet's goal: its maximum cost relative to the last reference.
struct Row: Sendable {
    typealias Work = @Sendable (Run) async throws -> Void

    /// The measured times, in the order in which they are printed.
    enum Time: String, CaseIterable {
        /// The time of all threads of the competitor's process, in the program and in the system.
        case processor
        case wall
    }

    /// The groups of rows in charts.
    enum Group: String, Codable, CaseIterable {
        case write, read, sync, concurrency, own
    }

    /// The phases in which rows run.
    enum Phase {
        /// Once, to fill the store.
        case filling
        /// In each turn.
        case main
        /// After the comparison of the stores' content, because its changes differ.
        case last
        /// At the very end, in new processes.
        case restarted
    }

    let id: String
    let title: String
    let group: Group
    /// The unit of the work, such as `record`.
    let unit: String
    /// Whether times are compared; otherwise only the additional figures matter.
    var isTimed = true
    var goal: Double?
    /// The times that the goal limits.
    ///
    /// The wall time of work that waits for the disk is the disk's.
    var goalTimes = Time.allCases
    var phase = Phase.main
    /// The number of repetitions in each turn.
    ///
    /// Work that depends on the disk is measured in slices, so that all competitors see the same fluctuations.
    var slices = 1
    /// Whether the work only reads, so that it can be repeated to digest the results.
    ///
    /// One task waits alone for each answer. ``ProcessorGate`` limits the processor time of such rows.
    var isReading = false
    /// Whether one digest of the results is enough for all turns, because it takes long.
    var isLong = false
    /// Whether the rows have an order.
    var isOrdered = true
    var side: [SideFigure] = []
    /// Preparation and cleanup, which are not measured.
    var preparation: Work = { _ in }
    var ending: Work = { _ in }
    let work: Work

    /// The number of lists that are deleted in one turn.
    static let deletedListsPerTurn = 10
}

/// An additional figure beside a row's time.
struct SideFigure: Sendable, Codable {
    enum Unit: String, Codable {
        case seconds, bytes, count, perSecond
    }

    /// Its name in the run; `growth`, `peak` and `rate` always exist.
    let key: String
    let id: String
    let title: String
    let unit: Unit
    /// The maximum ratio to the last reference.
    var goal: Double?
    /// The maximum absolute value.
    var limit: Double?
}

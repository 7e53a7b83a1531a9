/// One kind of work, and Cabinet's goal: its maximum cost relative to the last reference.
struct Row: Sendable {
    typealias Work = @Sendable (Run) async throws -> Void

    /// The time that is compared.
    enum Metric: String, Codable {
        case wall
        case cpu
        /// The median of the calls.
        case median
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
    /// The time that is compared; `nil` if only the additional figures matter.
    var metric: Metric?
    var goal: Double?
    /// Whether it should cost no more than C on SQLite's defaults.
    var isHeadline = true
    var phase = Phase.main
    /// The number of repetitions in each turn.
    ///
    /// Work that depends on the disk is measured in slices, so that all competitors see the same fluctuations.
    var slices = 1
    /// Whether the work only reads, so that it can be repeated to digest the results.
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
        case seconds, bytes, count
    }

    /// Its name in the run; `growth` always exists.
    let key: String
    let id: String
    let title: String
    let unit: Unit
    /// The maximum ratio to the last reference.
    var goal: Double?
    /// The maximum absolute value.
    var limit: Double?
}

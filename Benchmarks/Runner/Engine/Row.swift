/// One kind of work, and Cabinet's goal: how much it may cost beside the last of those that it is compared with.
struct Row: Sendable {
    typealias Work = @Sendable (Run) async throws -> Void

    /// What time is compared.
    enum Metric: String, Codable {
        case wall
        case cpu
        /// The median of the calls.
        case median
    }

    /// The rows that are drawn together.
    enum Group: String, Codable, CaseIterable {
        case write, read, sync, concurrency, own
    }

    /// When a row is run.
    enum Phase {
        /// Once, to fill the store.
        case filling
        /// In each turn.
        case main
        /// After what is in the stores was compared, because what it changes differs.
        case last
        /// At the very end, in new processes.
        case restarted
    }

    let id: String
    let title: String
    let group: Group
    /// What is counted, such as `record`.
    let unit: String
    /// What time is compared; `nil` if only what is shown beside it counts.
    var metric: Metric?
    var goal: Double?
    /// Whether it should cost no more than C on SQLite's defaults.
    var isHeadline = true
    var phase = Phase.main
    /// How often it is done in each turn: what depends on the disk is measured in slices, so that all meet the same moods of it.
    var slices = 1
    /// Whether the work only reads, so that it can be done once more to look at the answers.
    var isReading = false
    /// Whether one look at the answers is enough for all turns, because it takes long.
    var isLong = false
    /// Whether the rows come in an order.
    var isOrdered = true
    var side: [SideFigure] = []
    /// What is done before and after, and not measured.
    var preparation: Work = { _ in }
    var ending: Work = { _ in }
    let work: Work

    /// How many lists are deleted in one turn.
    static let deletedListsPerTurn = 10
}

/// Something that is shown beside a row's time.
struct SideFigure: Sendable, Codable {
    enum Unit: String, Codable {
        case seconds, bytes, count
    }

    /// How the run calls it; `growth` is always there.
    let key: String
    let id: String
    let title: String
    let unit: Unit
    /// The largest ratio to the last of those that Cabinet is compared with.
    var goal: Double?
    /// The largest value in itself.
    var limit: Double?
}

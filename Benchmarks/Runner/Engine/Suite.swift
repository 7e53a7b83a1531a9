/// The competitors.
enum Competition: String, Codable, Hashable, CodingKeyRepresentable {
    /// C on SQLite's defaults.
    case plain
    /// C on SQLite, tuned as Cabinet is.
    case tuned
    /// Cabinet on SQLite.
    case sqlite
    /// A dictionary of structs.
    case dictionary
    /// An array of structs.
    case structs
    /// Cabinet in memory.
    case memory
    /// C on PostgreSQL.
    case libpq
    /// Cabinet on SQLite, with requests and responses that are coded and decoded.
    case coded
    /// Cabinet on PostgreSQL.
    case postgres
    /// A program with untyped records, on SQLite and in memory.
    case untyped, untypedMemory
    /// The same program with typed fields.
    case typed, typedMemory
    /// The owner of a shared zone, and a participant, on SQLite.
    case owner, participant
    /// The owner of a shared hierarchy, and a participant, on SQLite.
    case rootOwner, rootParticipant
    /// A plain container on SQLite, and a mirror of a server in the same process.
    case unmirrored, mirror
    /// A client of a server that is 20 ms away, and a mirror of such a client.
    case remote, remoteMirror

    /// The name in tables.
    var title: String {
        switch self {
        case .plain: "C, defaults"
        case .tuned: "C, tuned"
        case .dictionary: "dictionary"
        case .structs: "structs"
        case .libpq: "C, libpq"
        case .sqlite, .memory, .postgres: "Cabinet"
        case .coded: "coded"
        case .untyped, .untypedMemory: "untyped"
        case .typed, .typedMemory: "typed"
        case .owner, .rootOwner: "owner"
        case .participant, .rootParticipant: "participant"
        case .unmirrored: "plain"
        case .mirror, .remoteMirror: "mirror"
        case .remote: "client"
        }
    }

    /// The name of Cabinet's figures relative to this competitor.
    var reference: String {
        switch self {
        case .plain: "defaults"
        case .tuned: "tuned"
        case .dictionary: "dictionary"
        case .structs: "structs"
        case .libpq: "libpq"
        case .sqlite, .coded, .memory, .postgres, .typed, .typedMemory: "Cabinet"
        case .untyped, .untypedMemory: "untyped"
        case .owner, .participant, .rootOwner, .rootParticipant: "owner"
        case .unmirrored, .mirror: "plain"
        case .remote, .remoteMirror: "client"
        }
    }
}

/// Rows that the same competitors run.
struct Suite: Sendable {
    let id: String
    let title: String
    /// The references for Cabinet; its goals are ratios to the last one.
    let references: [Competition]
    let own: Competition
    /// The maximum size to measure, unless the suite is requested by name.
    var largestCount = Int.max
    var needsPostgres = false
    /// Whether a process's memory is that of its whole work; a server's is not.
    var showsPeak = false
    /// The maximum ratio of peak memory to the last reference.
    var peakGoal: Double?
    /// Whether one round is enough, because no time is measured.
    var isRunOnce = false
    let rows: [Row]

    var competitors: [Competition] { references + [own] }

    static let all: [Suite] = [
        .sqlite, .memory, .postgres, .footprint, .coded, .typed, .typedMemory, .sharing, .hierarchy, .mirror,
        .remoteMirror,
    ]

    /// Cabinet on SQLite beside plain C on SQLite.
    ///
    /// The rows are in the order in which they are run.
    static let sqlite = Suite(
        id: "sqlite", title: "SQLite", references: [.plain, .tuned], own: .sqlite, showsPeak: true, peakGoal: 1.2,
        rows: [
            .bulk, .durableBulk, .wordInsertion, .singleFetches, .fetches, .listQueries, .prefixQueries, .scans,
            .iteration,
            .pathQueries, .wordQueries, .typedSearches, .firstPage, .lastPage, .updates, .fieldUpdates, .transactions,
            .changes,
            .smallDeletions,
            .largeDeletion, .saves(tasks: 1, isDurable: false, goal: 1.8, offset: 3_000),
            .saves(tasks: 8, isDurable: false, offset: 4_000), .saves(tasks: 64, isDurable: false, offset: 5_000),
            .liveQueries(1, offset: 6_000), .liveQueries(100, offset: 7_000), .observedSaves, .countedSaves, .opening,
            .firstQuery,
            .saves(tasks: 1, isDurable: true, goal: 1.5, offset: 0), .saves(tasks: 8, isDurable: true, offset: 1_000),
            .saves(tasks: 64, isDurable: true, goal: 0.35, offset: 2_000), .contendedFetches, .contendedQueries,
        ])

    /// Cabinet in memory beside a dictionary.
    static let memory = Suite(
        id: "memory", title: "memory", references: [.dictionary], own: .memory, largestCount: 100_000,
        showsPeak: true,
        rows: [
            .bulk.with(goal: 10), .singleFetches.with(goal: 5), .fetches.with(goal: 5), .scans.with(goal: 3),
            .updates.with(goal: 10),
        ])

    /// Cabinet on PostgreSQL beside libpq in pipeline mode; every commit waits for the disk.
    ///
    /// C saves one record with a plain `INSERT`, without a transaction around it and without a change feed.
    static let postgres = Suite(
        id: "postgres", title: "PostgreSQL", references: [.libpq], own: .postgres, largestCount: 100_000,
        needsPostgres: true,
        rows: [
            .bulk.with(goal: 1.25, for: .wall), .singleFetches.with(goal: 1.2, for: .wall).withServer(goal: 1.5),
            .fetches.with(goal: 1.5, for: .processor).withServer(),
            .listQueries.with(goal: 1.5, for: .processor).withServer(),
            .updates.with(goal: 1.3, for: .wall),
            .saves(tasks: 1, isDurable: true, offset: 0).with(goal: 1.3, for: .wall).withServer(goal: 2),
            .saves(tasks: 64, isDurable: true, offset: 2_000).with(goal: nil),
        ])

    /// The cost of coding requests and responses, as between a client and a server, beside requests that are passed on.
    static let coded = Suite(
        id: "coded", title: "coded requests", references: [.sqlite], own: .coded, largestCount: 100_000,
        rows: [
            .bulk.with(goal: nil), .singleFetches.with(goal: nil), .fetches.with(goal: nil),
            .listQueries.with(goal: nil),
            .saves(tasks: 1, isDurable: false, offset: 3_000).with(goal: nil),
        ])

    /// Typed fields on SQLite, beside a program with untyped records.
    static let typed = Suite(
        id: "typed", title: "typed fields", references: [.untyped], own: .typed, largestCount: 100_000,
        rows: [
            .bulk.with(goal: 1.05, for: .processor), .iteration.with(goal: 1.05, for: .processor),
            .fieldReads.with(goal: 1, for: .processor),
        ])

    /// The same in memory.
    static let typedMemory = Suite(
        id: "typed-memory", title: "typed fields, in memory", references: [.untypedMemory], own: .typedMemory,
        largestCount: 100_000, rows: typed.rows)

    /// A participant of a shared zone on SQLite, beside its owner.
    static let sharing = Suite(
        id: "sharing", title: "shared zones", references: [.owner], own: .participant, largestCount: 100_000,
        rows: [
            .bulk.with(goal: nil), .singleFetches.with(goal: 1.3), .fetches.with(goal: 1.3),
            .listQueries.with(goal: 1.3), .updates.with(goal: nil),
            .saves(tasks: 1, isDurable: false, offset: 3_000).with(goal: 1.3), .acceptance, .zoneFeed,
        ])

    /// A participant of a shared hierarchy on SQLite, beside its owner.
    static let hierarchy = Suite(
        id: "hierarchy", title: "shared hierarchies", references: [.rootOwner], own: .rootParticipant,
        largestCount: 100_000,
        rows: [
            .bulk.with(goal: nil), .singleFetches.with(goal: 1.3), .fetches.with(goal: 1.3),
            .listQueries.with(goal: 1.3), .iteration.with(goal: 1.3), .updates.with(goal: nil),
            .saves(tasks: 1, isDurable: false, offset: 3_000).with(goal: 1.3),
        ])

    /// A mirror on SQLite, whose server is in the same process, beside a plain container.
    static let mirror = Suite(
        id: "mirror", title: "mirrors", references: [.unmirrored], own: .mirror, largestCount: 100_000,
        rows: [
            .bulk.with(goal: 1.3), .saves(tasks: 1, isDurable: false, offset: 3_000).with(goal: 1.3),
            .saves(tasks: 1, isDurable: true, offset: 0).with(goal: 1.3, for: .processor), .firstFetch,
        ])

    /// A mirror of a server that is 20 ms away, beside a client of such a server, both with the server's work.
    static let remoteMirror = Suite(
        id: "remote-mirror", title: "mirrors of a server", references: [.remote], own: .remoteMirror,
        largestCount: 100_000, rows: [.bulk.unmeasured, .sending])

    /// The memory of Cabinet on SQLite, beside structs with the same fields.
    static let footprint = Suite(
        id: "footprint", title: "memory that is held", references: [.structs], own: .sqlite, largestCount: 100_000,
        isRunOnce: true, rows: [.bulk.unmeasured, .heldRecords, .idleness])
}

extension Row {
    /// The same work for competitors that have no file, with a goal for the given time or for both.
    fileprivate func with(goal: Double?, for time: Time? = nil) -> Row {
        var row = self
        row.goal = goal
        row.goalTimes = time.map { [$0] } ?? Time.allCases
        row.side = []
        return row
    }

    /// The same work with a figure for the processor time of the client and the PostgreSQL server together.
    fileprivate func withServer(goal: Double? = nil) -> Row {
        var row = self
        row.side.append(
            SideFigure(
                key: "total", id: "\(id), total", title: "its processor time, with the server's", unit: .seconds,
                goal: goal))
        return row
    }

    /// The same work, only to fill a store.
    fileprivate var unmeasured: Row {
        var row = with(goal: nil)
        row.isTimed = false
        return row
    }
}

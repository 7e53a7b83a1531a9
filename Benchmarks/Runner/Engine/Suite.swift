/// Who is measured.
enum Competition: String, Codable, Hashable, CodingKeyRepresentable {
    /// C on SQLite's defaults.
    case plain
    /// C on SQLite, tuned as Cabinet is.
    case tuned
    /// Cabinet on SQLite.
    case sqlite

    /// What it is called in tables.
    var title: String {
        switch self {
        case .plain: "C, defaults"
        case .tuned: "C, tuned"
        case .sqlite: "Cabinet"
        }
    }

    /// What Cabinet's figures are called that are held against its.
    var reference: String {
        switch self {
        case .plain: "defaults"
        case .tuned: "tuned"
        case .sqlite: "Cabinet"
        }
    }
}

/// Rows that are run by the same competitors.
struct Suite: Sendable {
    let id: String
    let title: String
    /// What Cabinet is compared with; its goals are ratios to the last one.
    let references: [Competition]
    let own: Competition
    let rows: [Row]

    var competitors: [Competition] { references + [own] }

    static let all: [Suite] = [.sqlite]

    /// Cabinet on SQLite beside plain C on SQLite. The rows are in the order in which they are run.
    static let sqlite = Suite(
        id: "sqlite", title: "SQLite", references: [.plain, .tuned], own: .sqlite,
        rows: [
            .bulk, .durableBulk, .wordInsertion, .singleFetches, .fetches, .listQueries, .prefixQueries, .scans,
            .iteration,
            .pathQueries, .wordQueries, .firstPage, .lastPage, .updates, .fieldUpdates, .changes, .smallDeletions,
            .largeDeletion, .liveQueries(0, id: "l0", place: 3_000), .liveQueries(1, id: "l1", place: 4_000),
            .liveQueries(100, id: "l100", place: 5_000), .opening, .firstQuery, .singleSaves, .concurrentSaves,
            .contendedFetches, .contendedQueries,
        ])
}

/// The mark of a write, which shows whether it was committed if the answer is lost.
///
/// The ID of a PostgreSQL transaction is not enough, because it may be reused after a crash. The number of a write is also
/// reused if the write was not committed. But a writer does not begin a write before it knows the outcome of its last one.
struct CommitMark: Sendable, Equatable {
    /// The number of the database's writes, including this one.
    let number: Int64
    /// The random ID of the backend that writes.
    let writer: Int64
}

/// The last commits to a database, one for each of its last writers, in the order of their numbers.
///
/// They are stored in the row of the database that each write updates: a table of marks would need another row for each write,
/// and their removal.
struct CommitMarks: Sendable, Equatable {
    private(set) var marks: [CommitMark] = []

    /// The limit of writers that are remembered: the processes that write to one database at about the same time.
    static let limit = 16

    init() {}

    /// Creates the marks from the stored numbers: the writer and the number of each.
    ///
    /// - Returns: `nil` if they are invalid.
    init?(stored: [Int64?]) {
        let numbers = stored.compactMap(\.self)
        guard numbers.count == stored.count, numbers.count.isMultiple(of: 2) else { return nil }
        marks = stride(from: 0, to: numbers.count, by: 2).map {
            CommitMark(number: numbers[$0 + 1], writer: numbers[$0])
        }
    }

    /// The numbers to store.
    var stored: [Int64?] { marks.flatMap { [$0.writer, $0.number] } }

    /// Adds the last mark, in place of the same writer's earlier one.
    mutating func add(_ mark: CommitMark) {
        marks.removeAll { $0.writer == mark.writer }
        if marks.count >= Self.limit { marks.removeFirst(marks.count - Self.limit + 1) }
        marks.append(mark)
    }

    /// Returns whether a write was committed; `nil` if later writers have displaced its mark.
    func contains(_ mark: CommitMark) -> Bool? {
        if let known = marks.first(where: { $0.writer == mark.writer }) { return known.number >= mark.number }
        // A mark is displaced only by later ones.
        guard marks.count >= Self.limit, let first = marks.first, first.number > mark.number else { return false }
        return nil
    }
}

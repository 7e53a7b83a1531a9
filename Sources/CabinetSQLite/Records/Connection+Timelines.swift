import CSQLite
import Cabinet

/// The timelines of a file.
///
/// While a file is closed, an older copy may be put in its place, and nothing in the file shows that. So a connection that writes begins a
/// timeline with the first number that it reserves, and stays on it until it is closed.
extension Connection {
    /// The most timelines to remember: a process that is started every minute adds so many in ten weeks.
    static let timelineLimit = 100_000

    /// Returns the timelines that numbers were reserved on.
    func timelines(of numbers: [Int64]) throws -> [Int64?] {
        guard catalog.hasTimelines else { return Array(repeating: nil, count: numbers.count) }
        try storeNumbers()
        let timeline = "(SELECT id FROM cabinet_timeline WHERE first <= ? ORDER BY first DESC LIMIT 1)"
        let search = try statements.statement("SELECT \(timeline), \(timeline)")
        defer { search.reset() }
        var found: [Int64?] = []
        // Nearly always two: the last number, and that of a token.
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let pair = [numbers[index], numbers[min(index + 1, numbers.count - 1)]]
            for (column, number) in pair.enumerated() { try search.bind(number, at: Int32(column + 1)) }
            guard try search.step() else { break }
            found += (0..<Int32(2)).map { search.kind($0) == SQLITE_NULL ? nil : search.int64($0) }
            search.reset()
        }
        return Array(found.prefix(numbers.count))
    }

    /// Begins a timeline with a number that is about to be reserved, unless this connection has begun one since it was opened.
    ///
    /// If the last number is lower than it was, the file was replaced while it was open, and another timeline begins.
    func beginTimeline(at number: Int64) {
        if let last = lastTimelineNumber, last < number { return }
        if writeState.timelineStart == nil { writeState.timelineStart = number }
    }

    /// Writes the timeline that this transaction begins, if it begins one.
    func storeTimeline() throws {
        guard let start = writeState.timelineStart, !writeState.hasStoredTimeline, !catalog.isEmptyFile else { return }
        try removeOldTimelines()
        let insertion = try statements.statement(Self.timelineInsertion)
        try insertion.bind(start, at: 1)
        try insertion.bind(Int64.random(in: .min ... .max), at: 2)
        try insertion.run()
        writeState.hasStoredTimeline = true
    }

    private static let timelineInsertion = "INSERT OR REPLACE INTO cabinet_timeline (first, id) VALUES (?, ?)"

    /// Replaces the oldest timelines, if there are too many, by one whose ID no token has.
    private func removeOldTimelines() throws {
        let oldest = try statements.statement(
            "SELECT first FROM cabinet_timeline ORDER BY first DESC LIMIT 1 OFFSET \(Self.timelineLimit)")
        guard let first = try oldest.firstNumber() else { return }
        let deletion = try statements.statement("DELETE FROM cabinet_timeline WHERE first <= ?")
        try deletion.bind(first, at: 1)
        try deletion.run()
        let insertion = try statements.statement(Self.timelineInsertion)
        try insertion.bind(Int64(0), at: 1)
        try insertion.bind(Int64.random(in: .min ... .max), at: 2)
        try insertion.run()
    }

    /// Remembers, after the commit, up to which number this connection knows the file.
    func finishTimeline() {
        guard let last = writeState.lastSequenceNumber else { return }
        if writeState.hasStoredTimeline || lastTimelineNumber != nil { lastTimelineNumber = last }
    }
}

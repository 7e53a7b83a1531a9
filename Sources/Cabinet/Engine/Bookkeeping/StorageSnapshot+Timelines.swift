/// The timelines of a database.
///
/// A timeline is a part of a database's history during which no older copy of the store was restored, and no record type or field was
/// renamed, dropped, or given another type. Each has a random ID, begins with its first number, and ends where the next one begins.
/// A number on the same timeline in two copies of a store stands for the same changes in both. The last timelines are remembered;
/// numbers of older ones have an ID that no token has.
extension StorageSnapshot {
    /// Reads the state of the database.
    func databaseState() async throws -> DatabaseState {
        try DatabaseState(entry: try await load(StorageKeys(entries: [DatabaseState.key])).entries.first ?? nil)
    }

    /// The highest sequence number that a committed transaction, or this one, has reserved; 0 if none has.
    package func lastSequenceNumber() async throws -> Int64 {
        try await databaseState().lastSequenceNumber
    }

    /// Returns the last sequence number, and its timeline.
    func timelineEnd() async throws -> TimelinePoint {
        try await databaseState().end
    }
}

extension DatabaseState {
    /// The last sequence number, and its timeline.
    var end: TimelinePoint {
        TimelinePoint(number: lastSequenceNumber, timeline: timeline?.id)
    }

    /// Whether a point lies in the past of this database.
    ///
    /// - Parameters:
    ///   - point: A point whose number is not above the last one.
    ///   - snapshot: The view that the state was read from, which is read only for points on earlier timelines.
    func contains(_ point: TimelinePoint, in snapshot: any StorageSnapshot) async throws -> Bool {
        guard let timeline else { return point.timeline == nil }
        if point.number >= timeline.first { return point.timeline == timeline.id }
        let earlier = Timelines.key(point.number)..<Timelines.all.upperBound
        let id = try await snapshot.entries(in: earlier, limit: 1).first.flatMap { Int64($0.text) }
        return id == point.timeline
    }
}

extension DatabaseState {
    /// Begins a timeline with the next number, unless the current or an earlier timeline has the store's current incarnation.
    ///
    /// - Returns: The mutations that store the timeline.
    mutating func beginTimeline(
        on origin: String?, in transaction: any StorageTransaction
    ) async throws -> [StorageMutation] {
        guard let origin, origin != self.origin else { return [] }
        let key = Timelines.key(ofOrigin: origin)
        if try await transaction.load(StorageKeys(entries: [key])).entries.first != .some(nil) { return [] }
        self.origin = origin
        return try await beginTimeline(in: transaction) + [.setEntry(key, "\(lastSequenceNumber + 1)")]
    }

    /// Begins a timeline with the next number.
    ///
    /// - Returns: The mutations that store the timeline.
    mutating func beginTimeline(in transaction: any StorageTransaction) async throws -> [StorageMutation] {
        let start = TimelineStart(first: lastSequenceNumber + 1, id: .random(in: .min ... .max))
        var mutations = try await Timelines.removal(of: self, in: transaction)
        timelineCount = mutations.isEmpty ? timelineCount + 1 : Timelines.keptCount
        timeline = start
        mutations.append(.setEntry(Timelines.key(start.first), "\(start.id)"))
        return mutations
    }
}

/// The entries of timelines.
private enum Timelines {
    /// The maximum number of remembered timelines: a process that is started every minute adds as many in ten weeks.
    static let limit = 100_000

    /// The number of timelines that remain after a removal.
    static let keptCount = limit / 2

    static let all = StorageKey.all("timeline")

    /// Returns the key of the timeline with a first number; keys are in descending order of numbers.
    static func key(_ first: Int64) -> StorageKey {
        StorageKey("timeline", StorageKey.name(.max - first))
    }

    static func key(ofOrigin origin: String) -> StorageKey {
        StorageKey("origin", origin)
    }

    /// Returns the mutations that replace the oldest timelines beyond the limit by one whose ID no token has.
    static func removal(
        of state: DatabaseState, in transaction: any StorageTransaction
    ) async throws -> [StorageMutation] {
        if state.timelineCount < limit { return [] }
        let timelines = try await transaction.entries(in: all, limit: .max).dropFirst(keptCount - 1)
        let origins = try await transaction.entries(in: StorageKey.all("origin"), limit: .max)
        return (timelines + origins).map { .setEntry($0.key, nil) }
            + [.setEntry(key(0), "\(Int64.random(in: .min ... .max))")]
    }
}

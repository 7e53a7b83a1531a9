import Foundation

extension ChangeRetention {
    /// Whether a transaction has assigned a sequence number that makes a cleanup due.
    func isCleanupDue(after cleanup: Cleanup) -> Bool {
        let addsNothing = cleanup.zoneIDs.isEmpty && cleanup.users.isEmpty && !cleanup.removesZones
        if addsNothing || cleanup.numbers.isEmpty { return false }
        let (first, last) = (cleanup.numbers.lowerBound + 1, cleanup.numbers.upperBound)
        return isDueByCount(from: first, to: last) || isDueByAge(from: first, to: last)
    }

    /// Returns the mutations that forget old deletions, removals of zones and notifications.
    ///
    /// - Complexity: in the number of forgotten items; once for each quarter of ``count``, in the number of remembered ones.
    func mutations(after cleanup: Cleanup, in snapshot: any StorageSnapshot) async throws -> [StorageMutation] {
        let isCounted = isDueByCount(from: cleanup.numbers.lowerBound + 1, to: cleanup.numbers.upperBound)
        let deletions = cleanup.zoneIDs.map { Deletions(zoneID: $0, snapshot: snapshot) }
        let moves = cleanup.zoneIDs.map { Moves(zoneID: $0, snapshot: snapshot) }
        let removals = cleanup.removesZones ? [Removals(snapshot: snapshot)] : []
        let notifications = cleanup.users.map { Notifications(userName: $0, snapshot: snapshot) }
        var clock: RetentionClock
        if let known = try await RetentionClock.read(in: snapshot) {
            clock = known
        } else {
            var dates: [Date] = []
            for items in deletions as [any RememberedItems] + moves + removals + notifications {
                if let date = try await items.oldestDate() { dates.append(date) }
            }
            clock = RetentionClock(last: dates.min() ?? cleanup.date)
        }
        let oldest = clock.believes(cleanup.date) ? oldestDate(at: cleanup.date) : .distantPast
        var mutations = [clock.mutation]
        for (items, moves) in zip(deletions, moves) {
            var end: Int64?
            try await visitOld(items, isCounted: isCounted, before: oldest) { end = $0.sequenceNumber }
            try await visitOld(moves, isCounted: isCounted, before: oldest) { end = max(end ?? 0, $0.number) }
            if let end { mutations += try await snapshot.mutations(forgettingIn: items.zoneID, through: end) }
        }
        for items in removals {
            var end: Int64?
            try await visitOld(items, isCounted: isCounted, before: oldest) { end = $0.sequenceNumber }
            if let end { mutations += try await snapshot.mutations(forgettingRemovalsThrough: end) }
        }
        for items in notifications {
            var old: [StoredNotification] = []
            try await visitOld(items, isCounted: isCounted, before: oldest) { old.append($0) }
            mutations += try await snapshot.mutations(forgetting: old, to: items.userName)
        }
        return mutations
    }

    /// Calls a closure with each item that is too old, or not among the last ones.
    ///
    /// - Parameters:
    ///   - isCounted: Whether the items are counted. Otherwise only their age matters.
    ///   - oldest: The date before which items are too old.
    private func visitOld<Items: RememberedItems>(
        _ items: Items, isCounted: Bool, before oldest: Date, _ visit: (Items.Item) -> Void
    ) async throws {
        var surplus = 0
        if isCounted {
            surplus = -max(count, 0)
            try await items.visit { _ in
                surplus += 1
                return true
            }
        }
        try await items.visit { item in
            guard surplus > 0 || item.date < oldest else { return false }
            surplus -= 1
            visit(item)
            return true
        }
    }
}

/// Something that a store remembers for a while.
private protocol RememberedItem {
    var sequenceNumber: Int64 { get }
    var date: Date { get }
}

extension StoredDeletion: RememberedItem {}
extension StoredNotification: RememberedItem {}
extension ZoneRemoval: RememberedItem {}
extension ShareMove: RememberedItem {
    fileprivate var sequenceNumber: Int64 { number }
}

/// Remembered items in ascending order of their numbers.
private protocol RememberedItems {
    associatedtype Item: RememberedItem

    /// Reads the first items after a number.
    func page(after number: Int64, limit: Int) async throws -> [Item]
}

extension RememberedItems {
    /// Returns the date of the first item.
    func oldestDate() async throws -> Date? {
        try await page(after: 0, limit: 1).first?.date
    }

    /// Calls a closure with each item, until it returns `false`.
    fileprivate func visit(_ visit: (Item) -> Bool) async throws {
        var number: Int64 = 0
        // Usually even the first item is young enough.
        var limit = 1
        while true {
            let page = try await page(after: number, limit: limit)
            for item in page where !visit(item) { return }
            guard page.count == limit, let last = page.last else { return }
            number = last.sequenceNumber
            limit = 1000
        }
    }
}

private struct Deletions: RememberedItems {
    let zoneID: RecordZone.ID
    let snapshot: any StorageSnapshot

    func page(after number: Int64, limit: Int) async throws -> [StoredDeletion] {
        try await snapshot.changes(in: zoneID, after: number, limit: limit, of: .deletions).compactMap { change in
            if case .deleted(let deletion) = change { deletion } else { nil }
        }
    }
}

private struct Moves: RememberedItems {
    let zoneID: RecordZone.ID
    let snapshot: any StorageSnapshot

    func page(after number: Int64, limit: Int) async throws -> [ShareMove] {
        try await snapshot.moves(in: zoneID, after: number, limit: limit)
    }
}

private struct Removals: RememberedItems {
    let snapshot: any StorageSnapshot

    func page(after number: Int64, limit: Int) async throws -> [ZoneRemoval] {
        try await snapshot.removals(after: number, limit: limit)
    }
}

private struct Notifications: RememberedItems {
    let userName: String
    let snapshot: any StorageSnapshot

    func page(after number: Int64, limit: Int) async throws -> [StoredNotification] {
        try await snapshot.notifications(to: userName, after: number, limit: limit)
    }
}

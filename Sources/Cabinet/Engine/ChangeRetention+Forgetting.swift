import Foundation

extension ChangeRetention {
    /// Forgets old deletions and notifications if a cleanup is due.
    ///
    /// - Parameters:
    ///   - zoneIDs: The zones in which records were deleted.
    ///   - users: The users that were notified.
    ///   - numbers: The last number before the transaction, and its own last number.
    ///   - date: The date of the transaction.
    ///   - transaction: The transaction.
    /// - Complexity: in the number of forgotten items; once for each quarter of ``count``, in the number of remembered ones.
    func forget(
        _ zoneIDs: Set<RecordZone.ID>, _ users: Set<String>, numbers: Range<Int64>, at date: Date,
        in transaction: any StorageTransaction
    ) async throws {
        if zoneIDs.isEmpty && users.isEmpty || numbers.isEmpty { return }
        let (first, last) = (numbers.lowerBound + 1, numbers.upperBound)
        let isCounted = isDueByCount(from: first, to: last)
        guard isCounted || isDueByAge(from: first, to: last) else { return }
        for zoneID in zoneIDs {
            let deletions = Deletions(zoneID: zoneID, snapshot: transaction)
            var end: Int64?
            try await visitOld(deletions, isCounted: isCounted, at: date) { end = $0.sequenceNumber }
            if let end { try await transaction.forgetDeletions(inZone: zoneID, through: end) }
        }
        for user in users {
            let notifications = Notifications(userName: user, snapshot: transaction)
            var old: [StoredNotification] = []
            try await visitOld(notifications, isCounted: isCounted, at: date) { old.append($0) }
            try await transaction.forget(old, to: user)
        }
    }

    /// Calls a closure with each item that is too old, or not among the last ones.
    ///
    /// - Parameter isCounted: Whether the items are counted. Otherwise only their age matters.
    private func visitOld<Items: RememberedItems>(
        _ items: Items, isCounted: Bool, at date: Date, _ visit: (Items.Item) -> Void
    ) async throws {
        var surplus = 0
        if isCounted {
            surplus = -max(count, 0)
            try await items.visit { _ in
                surplus += 1
                return true
            }
        }
        let oldest = oldestDate(at: date)
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

/// Remembered items in ascending order of their numbers.
private protocol RememberedItems {
    associatedtype Item: RememberedItem

    /// Reads the first items after a number.
    func page(after number: Int64, limit: Int) async throws -> [Item]
}

extension RememberedItems {
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

private struct Notifications: RememberedItems {
    let userName: String
    let snapshot: any StorageSnapshot

    func page(after number: Int64, limit: Int) async throws -> [StoredNotification] {
        try await snapshot.notifications(to: userName, after: number, limit: limit)
    }
}

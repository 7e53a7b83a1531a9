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
    func forget(
        _ zoneIDs: Set<RecordZone.ID>, _ users: Set<String>, numbers: Range<Int64>, at date: Date,
        in transaction: any StorageTransaction
    ) async throws {
        if zoneIDs.isEmpty && users.isEmpty || numbers.isEmpty { return }
        guard isDue(from: numbers.lowerBound + 1, to: numbers.upperBound) else { return }
        let oldest = oldestDate(at: date)
        for zoneID in zoneIDs {
            try await transaction.forgetDeletions(inZone: zoneID, before: oldest, keepingLast: max(count, 0))
        }
        for user in users {
            try await transaction.forgetNotifications(to: user, before: oldest, keepingLast: max(count, 0))
        }
    }
}

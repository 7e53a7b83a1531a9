import Foundation

/// The work that a transaction leaves to a later one: it removes unused assets, and forgets old deletions and notifications.
///
/// The reads that it needs would otherwise follow the changes of the first transaction.
struct Cleanup: Sendable {
    /// The last sequence number before the transaction, and its own last one.
    let numbers: Range<Int64>

    /// The date of the transaction.
    let date: Date

    /// Assets that may be unused.
    var assets: Set<Asset.Checksum> = []

    /// Whether every stored asset may be unused.
    var includesAllAssets = false

    /// The zones in which records were deleted.
    var zoneIDs: Set<RecordZone.ID> = []

    /// The users that were notified.
    var users: Set<String> = []
}

extension LocalRequestHandler {
    /// Whether a committed transaction has left work; most have not.
    func needs(_ cleanup: Cleanup) -> Bool {
        !cleanup.assets.isEmpty || cleanup.includesAllAssets || service.retention.isCleanupDue(after: cleanup)
    }

    /// Does the work that a committed transaction has left.
    ///
    /// The request has succeeded, so an error only delays the work: the next cleanup forgets what this one could not, and an unused
    /// asset stays until it is used again or a verification removes it.
    func cleanUp(_ cleanup: Cleanup, in database: DatabaseKey) async {
        let forgets = service.retention.isCleanupDue(after: cleanup)
        _ = try? await backend.write(database) { [retention = service.retention] transaction in
            var mutations =
                cleanup.includesAllAssets
                ? try await AssetRule.removalOfAllUnused(in: transaction)
                : try await AssetRule.removal(ofUnused: cleanup.assets, in: transaction)
            if forgets { mutations += try await retention.mutations(after: cleanup, in: transaction) }
            try await transaction.apply(mutations)
        }
    }
}

import Foundation

/// The work that a transaction leaves to a later one: it removes unused assets, and forgets old deletions, removals and notifications.
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

    /// Whether zones were removed.
    var removesZones = false

    /// The users that were notified.
    var users: Set<String> = []
}

extension Cleanup {
    /// The mutations with which the transaction itself remembers its assets, in case its process is killed before the cleanup.
    var mutations: [StorageMutation] {
        assets.isEmpty && !includesAllAssets
            ? [] : [ReleasedAssets.mutation(includesAllAssets ? nil : assets, number: numbers.upperBound)]
    }

    /// Returns the mutations that remove the unused assets of this transaction and of earlier ones.
    fileprivate static func removal(in transaction: any StorageTransaction) async throws -> [StorageMutation] {
        let released = try await transaction.releasedAssets()
        let removal =
            if let assets = released.assets { try await AssetRule.removal(ofUnused: assets, in: transaction) } else {
                try await AssetRule.removalOfAllUnused(in: transaction)
            }
        return removal + released.keys.map { .setEntry($0, nil) }
    }
}

extension LocalRequestHandler {
    /// Whether a committed transaction has left work; most have not.
    func needs(_ cleanup: Cleanup) -> Bool {
        !cleanup.assets.isEmpty || cleanup.includesAllAssets || service.retention.isCleanupDue(after: cleanup)
    }

    /// Does the work that a committed transaction has left.
    ///
    /// The request has succeeded, so an error only delays the work: the next cleanup does what this one could not.
    func cleanUp(_ cleanup: Cleanup, in database: DatabaseKey) async {
        let forgets = service.retention.isCleanupDue(after: cleanup)
        _ = try? await backend.write(database) { [retention = service.retention] transaction in
            var mutations = cleanup.mutations.isEmpty ? [] : try await Cleanup.removal(in: transaction)
            if forgets { mutations += try await retention.mutations(after: cleanup, in: transaction) }
            try await transaction.apply(mutations)
        }
    }
}

import Cabinet
import Foundation

/// A part of a backend with databases of its own, so that a run can be repeated without another store.
struct PartitionedBackend: StorageBackend {
    let base: any StorageBackend
    let name: String

    /// The database of the whole backend that stores a database of the part.
    fileprivate func key(_ database: DatabaseKey) -> DatabaseKey {
        switch database {
        // An owner's name is never empty.
        case .public: .private(owner: "\(name)-")
        case .private(let owner): .private(owner: "\(name)-\(owner)")
        case .shared(let owner): .shared(owner: "\(name)-\(owner)")
        }
    }

    /// The database of the part that is stored in a database of the whole; `nil` if it belongs to another part.
    fileprivate func database(_ key: DatabaseKey) -> DatabaseKey? {
        func part(_ owner: String) -> String? {
            owner.hasPrefix("\(name)-") ? String(owner.dropFirst(name.count + 1)) : nil
        }
        return switch key {
        case .public: nil
        case .private(let owner): part(owner).map { $0.isEmpty ? .public : .private(owner: $0) }
        case .shared(let owner): part(owner).map { .shared(owner: $0) }
        }
    }

    func read<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageSnapshot) async throws -> Result
    ) async throws -> Result {
        try await base.read(key(database), body)
    }

    func write<Result: Sendable>(
        _ database: DatabaseKey, _ body: @escaping @Sendable (any StorageTransaction) async throws -> Result
    ) async throws -> Result {
        try await base.write(key(database), body)
    }

    var abilities: StorageAbilities {
        var abilities = base.abilities
        abilities.signals = abilities.signals.map { PartitionedSignals(base: $0, partition: self) }
        abilities.databases = abilities.databases.map { PartitionedListing(base: $0, partition: self) }
        abilities.assets = abilities.assets.map { PartitionedAssets(base: $0, partition: self) }
        abilities.maintenance = abilities.maintenance.map { PartitionedMaintenance(base: $0, partition: self) }
        return abilities
    }

    /// Does nothing: the caller that opened the whole backend closes it.
    func close() async {}
}

private struct PartitionedSignals: ChangeSignals {
    let base: any ChangeSignals
    let partition: PartitionedBackend

    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        base.changeSignals(of: partition.key(database))
    }
}

private struct PartitionedListing: DatabaseListing {
    let base: any DatabaseListing
    let partition: PartitionedBackend

    func databases() async throws -> [DatabaseKey] {
        try await base.databases().compactMap(partition.database)
    }
}

private struct PartitionedAssets: AssetStorage {
    let base: any AssetStorage
    let partition: PartitionedBackend

    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        try await base.beginUpload(to: partition.key(database))
    }

    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        try await base.files(of: assets, in: partition.key(database))
    }

    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        try await base.removeAbandonedAssets(from: partition.key(database))
    }
}

private struct PartitionedMaintenance: StorageMaintenance {
    let base: any StorageMaintenance
    let partition: PartitionedBackend

    func issues(in database: DatabaseKey, limit: Int) async throws -> [IntegrityIssue] {
        try await base.issues(in: partition.key(database), limit: limit)
    }

    func rebuildIndexes(of database: DatabaseKey) async throws {
        try await base.rebuildIndexes(of: partition.key(database))
    }
}

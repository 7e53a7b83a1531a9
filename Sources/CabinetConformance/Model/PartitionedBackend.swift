import Cabinet
import Foundation

/// A part of a backend that has databases of its own, so that something can be tried again without another store.
struct PartitionedBackend: StorageBackend {
    let base: any StorageBackend
    let name: String

    private func key(_ database: DatabaseKey) -> DatabaseKey {
        switch database {
        // No owner has an empty name.
        case .public: .private(owner: "\(name)-")
        case .private(let owner): .private(owner: "\(name)-\(owner)")
        case .shared(let owner): .shared(owner: "\(name)-\(owner)")
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

    func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> { base.changeSignals(of: key(database)) }

    /// The databases of the part.
    func databases() async throws -> [DatabaseKey] {
        func part(_ owner: String) -> String? {
            owner.hasPrefix("\(name)-") ? String(owner.dropFirst(name.count + 1)) : nil
        }
        return try await base.databases().compactMap { database in
            switch database {
            case .public: nil
            case .private(let owner): part(owner).map { $0.isEmpty ? .public : .private(owner: $0) }
            case .shared(let owner): part(owner).map { .shared(owner: $0) }
            }
        }
    }

    func beginUpload(to database: DatabaseKey) async throws -> any AssetUpload {
        try await base.beginUpload(to: key(database))
    }

    func files(of assets: [StoredAsset], in database: DatabaseKey) async throws -> [URL?]? {
        try await base.files(of: assets, in: key(database))
    }

    func removeAbandonedAssets(from database: DatabaseKey) async throws -> Int {
        try await base.removeAbandonedAssets(from: key(database))
    }

    /// The whole is closed by whoever has opened it.
    func close() async {}
}

import Foundation

extension LocalDatabaseService {
    /// Reads records, and gives their assets files.
    ///
    /// - Parameters:
    ///   - database: The database to read.
    ///   - body: Reads records, trimmed to what was asked for, and maybe something else.
    func readWithFiles<Rest: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> (records: [StoredRecord], rest: Rest)
    ) async throws -> (records: [StoredRecord], rest: Rest) {
        try await read(database) { snapshot in
            let (records, rest) = try await body(snapshot)
            return (try await addingFiles(to: records, in: database, from: snapshot), rest)
        }
    }

    /// Gives the assets of records files, unless the assets are gone since the records were read.
    ///
    /// What was saved is saved: if that fails, the assets have no files.
    func addingFiles(to records: [StoredRecord], in database: DatabaseKey) async -> [StoredRecord] {
        guard records.contains(where: { $0.fields.hasAssets }) else { return records }
        let found = try? await backend.read(database) { snapshot in
            try await addingFiles(to: records, in: database, from: snapshot)
        }
        return found ?? records
    }

    /// Gives the assets of records files, in the read that has found the records: then no asset is removed before it has one.
    ///
    /// An asset whose bytes the store has lost, or whose file cannot be made, gets none: the records can be read all the same.
    private func addingFiles(
        to records: [StoredRecord], in database: DatabaseKey, from snapshot: any StorageSnapshot
    ) async throws -> [StoredRecord] {
        guard records.contains(where: { $0.fields.hasAssets }) else { return records }
        let assets = Array(records.reduce(into: Set()) { $0.formUnion($1.fields.storedAssets) })
        var found: [StoredAsset: Asset] = [:]
        // A store that cannot make files now, because its disk is full, still has the bytes.
        if let urls = try? await backend.abilities.assets?.files(of: assets, in: database) {
            for case (let asset, let url?) in zip(assets, urls) { found[asset] = Asset(.stored(asset, fileURL: url)) }
        } else {
            for asset in assets {
                guard let file = try? await assetFiles.file(of: asset, in: database, from: snapshot) else { continue }
                found[asset] = Asset(.stored(asset, fileURL: file.url), in: file.directory)
            }
        }
        return records.map { record in
            guard record.fields.hasAssets else { return record }
            var record = record
            record.fields = record.fields.replacingAssets { asset in asset.stored.flatMap { found[$0] } ?? asset }
            return record
        }
    }
}

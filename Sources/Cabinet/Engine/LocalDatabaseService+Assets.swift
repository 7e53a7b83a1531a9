import Foundation

extension LocalDatabaseService {
    /// Reads records, and adds files to their assets.
    ///
    /// - Parameters:
    ///   - database: The database to read.
    ///   - body: A closure that returns the records with the requested fields, and a second result.
    func readWithFiles<Rest: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> (records: [StoredRecord], rest: Rest)
    ) async throws -> (records: [StoredRecord], rest: Rest) {
        try await read(database) { snapshot in
            let (records, rest) = try await body(snapshot)
            return (try await addingFiles(to: records, in: database, from: snapshot), rest)
        }
    }

    /// Returns saved records with files for the assets that are still stored.
    ///
    /// The save has committed, so a failure here only leaves the assets without files.
    func addingFiles(to records: [StoredRecord], in database: DatabaseKey) async -> [StoredRecord] {
        guard records.contains(where: { $0.fields.hasAssets }) else { return records }
        let found = try? await backend.read(database) { snapshot in
            try await addingFiles(to: records, in: database, from: snapshot)
        }
        return found ?? records
    }

    /// Returns records with files for their assets, in the read that has found the records, so that no asset is removed before.
    ///
    /// An asset has no file if the store has lost its bytes, or the file cannot be created. The records are returned all the
    /// same.
    func addingFiles(
        to records: [StoredRecord], in database: DatabaseKey, from snapshot: any StorageSnapshot
    ) async throws -> [StoredRecord] {
        guard records.contains(where: { $0.fields.hasAssets }) else { return records }
        let assets = Array(records.reduce(into: Set()) { $0.formUnion($1.fields.storedAssets) })
        var found: [StoredAsset: Asset] = [:]
        // A store that cannot create files now, because its disk is full, can still read the bytes.
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

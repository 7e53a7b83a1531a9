import Foundation

extension LocalDatabaseService {
    /// Reads records, and gives their assets files.
    ///
    /// An asset that is removed between the two, because its last record was deleted or got another one, is a reason to read again: what was
    /// read is no longer so. One whose bytes the store has lost has no file.
    ///
    /// - Parameters:
    ///   - database: The database to read.
    ///   - body: Reads records, trimmed to what was asked for, and maybe something else.
    func readWithFiles<Rest: Sendable>(
        _ database: DatabaseKey,
        _ body: @escaping @Sendable (any StorageSnapshot) async throws -> (records: [StoredRecord], rest: Rest)
    ) async throws -> (records: [StoredRecord], rest: Rest) {
        var attempts = 3
        while true {
            var (records, rest) = try await backend.read(database, body)
            attempts -= 1
            if try await addFiles(to: &records, in: database) || attempts == 0 { return (records, rest) }
        }
    }

    /// Gives the assets of records files.
    ///
    /// - Returns: Whether all have one.
    @discardableResult
    func addFiles(to records: inout [StoredRecord], in database: DatabaseKey) async throws -> Bool {
        guard records.contains(where: \.fields.hasAssets) else { return true }
        let assets = Array(records.reduce(into: Set()) { $0.formUnion($1.fields.storedAssets) })
        var found: [StoredAsset: Asset] = [:]
        if let urls = try await backend.files(of: assets, in: database) {
            for case (let asset, let url?) in zip(assets, urls) { found[asset] = Asset(.stored(asset, fileURL: url)) }
        } else {
            for asset in assets {
                guard let file = try await assetFiles.file(of: asset, in: database) else { continue }
                found[asset] = Asset(.stored(asset, fileURL: file.url), in: file.directory)
            }
        }
        for index in records.indices where records[index].fields.hasAssets {
            records[index].fields = records[index].fields.replacingAssets { asset in
                asset.stored.flatMap { found[$0] } ?? asset
            }
        }
        return found.count == assets.count
    }
}

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
        let urls: [URL?]
        if let files = try await backend.files(of: assets, in: database) {
            urls = files
        } else {
            var made: [URL?] = []
            for asset in assets { made.append(try await assetFiles.file(of: asset, in: database)) }
            urls = made
        }
        let files = Dictionary(zip(assets, urls), uniquingKeysWith: { first, _ in first })
        for index in records.indices where records[index].fields.hasAssets {
            records[index].fields = records[index].fields.replacingAssets { asset in
                asset.stored.map { Asset(.stored($0, fileURL: files[$0] ?? nil)) } ?? asset
            }
        }
        return urls.allSatisfy { $0 != nil }
    }
}

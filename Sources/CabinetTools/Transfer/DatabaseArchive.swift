package import Cabinet
package import Foundation

/// Writes an export and the files of its assets as one ZIP archive, which is sent while the database is read.
///
/// The archive has what ``DatabaseExport`` writes: the lines in a file, and the assets in a folder beside it, and ``ZipReader`` unpacks
/// both for an import. Memory holds a page of records; the lines, and one asset at a time, lie in temporary files.
package struct DatabaseArchive {
    private let database: Database
    private let name: String

    /// Creates an archive.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - name: The name of the file of lines in the archive, without its ending.
    package init(of database: Database, named name: String) {
        self.database = database
        self.name = name
    }

    /// Writes the archive.
    ///
    /// - Parameter output: Sends bytes, and waits while the receiver is busy.
    package func write(to output: @escaping @Sendable (Data) async throws -> Void) async throws {
        let folder = try TemporaryDirectory(for: "exports")
        let lines = folder.url.appending(path: "\(name).jsonl")
        let assets = ZippedAssets(
            archive: try ZipArchive(in: folder.url, output: output), folder: folder.url, name: lines.lastPathComponent)
        try await DatabaseExport(of: database, to: lines, assets: assets).run { _ in }
        try await assets.archive.add(lines, named: lines.lastPathComponent)
        try await assets.archive.finish()
    }
}

/// The files of an export's assets in an archive, each under its checksum.
private final class ZippedAssets: ExportedAssets {
    var archive: ZipArchive
    private let folder: URL
    private let name: String

    init(archive: ZipArchive, folder: URL, name: String) {
        self.archive = archive
        self.folder = folder
        self.name = name + ".assets"
    }

    func save(_ asset: Asset) async throws {
        guard let checksum = asset.checksum else { return }
        // An empty file marks an asset that the archive has, so that memory does not grow with their number.
        let mark = folder.appending(path: "has-\(checksum)")
        if FileManager.default.fileExists(atPath: mark.path) { return }
        let file = folder.appending(path: "asset")
        defer { try? FileManager.default.removeItem(at: file) }
        try await asset.write(to: file)
        try await archive.add(file, named: "\(name)/\(checksum)")
        guard FileManager.default.createFile(atPath: mark.path, contents: nil) else {
            throw CabinetError(.permissionFailure, "The file \(mark.relativePath) cannot be written.")
        }
    }

    func path(of asset: Asset) -> String? { asset.checksum.map { "\(name)/\($0)" } }

    func finish() {}
}

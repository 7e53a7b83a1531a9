import Cabinet
import Foundation

/// The files of an export's assets.
protocol ExportedAssets {
    /// Writes the file of an asset whose bytes a store has, unless it was written before.
    func save(_ asset: Asset) async throws

    /// Returns the file of an asset, relative to the folder of the export's file.
    func path(of asset: Asset) -> String?

    /// Makes all files durable.
    func finish() throws
}

/// The files of an export's assets, in a folder beside its file, each under its checksum.
struct AssetFolder: ExportedAssets {
    private let folder: URL

    init(beside file: URL) {
        folder = file.deletingLastPathComponent().appending(path: file.lastPathComponent + ".assets")
    }

    /// Writes the file of an asset.
    ///
    /// The folder itself says which files it has, so that memory does not grow with their number. A file of an earlier export is
    /// compared, and written again if it has other bytes.
    func save(_ asset: Asset) async throws {
        guard let stored = asset.stored else { return }
        let target = folder.appending(path: stored.checksum.description)
        if FileManager.default.fileExists(atPath: target.path), try AssetFiles.has(stored, at: target) { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let partial = target.appendingPathExtension("partial")
        try? FileManager.default.removeItem(at: partial)
        try await asset.write(to: partial)
        let handle = try FileHandle(forWritingTo: partial)
        try Disk.synchronize(handle.fileDescriptor) { number in
            let reason = String(cString: strerror(number))
            return CabinetError(
                Disk.code(of: number), "The file \(partial.relativePath) cannot be written: \(reason).")
        }
        try handle.close()
        guard rename(partial.path, target.path) == 0 else {
            throw CabinetError(.permissionFailure, "The file \(target.relativePath) cannot be written.")
        }
    }

    func finish() throws {
        if FileManager.default.fileExists(atPath: folder.path) { try folder.synchronizeFolder() }
    }

    func path(of asset: Asset) -> String? {
        asset.checksum.map { "\(folder.lastPathComponent)/\($0)" }
    }
}

/// The files of an export into a pipe or a device, which has no folder beside it.
struct NoAssetFolder: ExportedAssets {
    func save(_ asset: Asset) throws {
        throw CabinetError(
            .invalidArguments,
            "Assets have files, which go to a folder beside the export. Export to a file, not to a pipe or a device.")
    }

    func path(of asset: Asset) -> String? { nil }

    func finish() {}
}

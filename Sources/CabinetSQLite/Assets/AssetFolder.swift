import Cabinet
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The folder with the asset files of one database.
///
/// ```text
/// assets/private-_anna/ab/<checksum>   one hard link for each database that has the asset
/// assets/pool/ab/<checksum>            one hard link for the container, so that it stores the same bytes only once
/// ```
///
/// Only the owner of the database file's write lock adds and removes files. A file is complete, durable and read-only
/// before it is linked here. The pool is an optimization: without a file in the pool, the bytes are stored again.
struct AssetFolder: Sendable {
    let store: AssetStore
    let database: DatabaseKey
    let path: String

    /// The first character in the names of incomplete files.
    private static let unfinishedPrefix = "."

    /// Returns the path of an asset's file in this folder, whether or not the file exists.
    func file(_ checksum: Asset.Checksum) -> String { AssetStore.file(checksum, in: path) }

    /// Whether the asset's file exists and has the asset's size.
    func has(_ asset: StoredAsset) -> Bool { AssetFile.has(file(asset.checksum), size: asset.size) }

    /// Reads a range of an asset's bytes.
    ///
    /// - Returns: `nil` if the file is missing or too short.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) throws -> Data? {
        let file = file(checksum)
        guard let descriptor = try AssetFile.openForReading(file) else { return nil }
        defer { close(descriptor) }
        return try AssetFile.read(range, of: descriptor, path: file)
    }

    /// Schedules the removal of the files of removed assets.
    func requestCollection() { store.requestCollection(in: database) }
}

// MARK: - Under the write lock

extension AssetFolder {
    /// Links the bytes of an upload, or the same bytes in the pool, into this folder.
    ///
    /// An existing file of that name is replaced. It is left from a rolled-back transaction, or it is a damaged file
    /// whose asset was removed. In that case the file in the pool may be damaged too, so it is not used. The upload
    /// stays, because the transaction may be rolled back and retried.
    ///
    /// - Returns: The folder to synchronize before the transaction is committed.
    func keep(_ asset: StoredAsset, uploadedAs id: UUID) throws -> String {
        let upload = try store.upload(id, to: database)
        guard AssetFile.has(upload, size: asset.size) else {
            throw CabinetError(
                .internalError,
                "The upload \(upload) does not have the \(asset.size) bytes of the asset. Finish it before it is added."
            )
        }
        let folder = path + "/" + AssetStore.subfolder(of: asset.checksum)
        try AssetFile.makeFolder(store.root, followsLinks: true, store.access)
        try AssetFile.makeFolder(path, store.access)
        if try AssetFile.makeFolder(folder, store.access) { store.recordNewFolder(folder) }
        let unfinished = folder + "/" + Self.unfinishedPrefix + UUID().uuidString
        // If both names lead to the same file, rename leaves both.
        defer { unlink(unfinished) }
        let file = file(asset.checksum)
        try makeFile(of: asset, from: upload, at: unfinished, usesPool: AssetFile.status(file) == nil)
        guard rename(unfinished, file) == 0 else { throw AssetFile.failure(errno, file) }
        return folder
    }

    /// Creates a file with an asset's bytes: a link to the file in the pool if possible, else a link to the upload or a
    /// copy of it.
    private func makeFile(of asset: StoredAsset, from upload: String, at path: String, usesPool: Bool) throws {
        if usesPool, AssetFile.link(store.poolFile(asset.checksum), to: path) == 0 {
            if AssetFile.has(path, size: asset.size) { return }
            unlink(path)
        }
        switch AssetFile.link(upload, to: path) {
        case 0:
            store.offerToPool(upload, asset)
        case EXDEV, EPERM, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL:
            // The file system may not support hard links, or limit their number.
            try AssetFile.copy(upload, to: path, store.access)
        case let number:
            throw AssetFile.failure(number, path)
        }
    }

    /// Removes the file of a deleted asset, and its bytes with the last link.
    ///
    /// If a file cannot be removed now, it stays as an orphan.
    ///
    /// - Returns: Whether a file was removed.
    func remove(_ checksum: Asset.Checksum) -> Bool {
        guard unlink(file(checksum)) == 0 else { return false }
        store.leavePool(checksum)
        return true
    }

    /// Removes incomplete files.
    ///
    /// Under the write lock, no other process is writing one.
    ///
    /// - Returns: The number of removed files.
    func removeUnfinished(_ names: [String]) -> Int {
        names.count(where: { unlink(path + "/" + $0) == 0 })
    }
}

// MARK: - Contents

extension AssetFolder {
    /// The names of the folder's files: checksums of assets, and incomplete files.
    ///
    /// Files with other names, or in other subfolders, do not belong to Cabinet and are left out.
    func contents() -> (assets: [Asset.Checksum], unfinished: [String]) {
        var (assets, unfinished): ([Asset.Checksum], [String]) = ([], [])
        for subfolder in AssetFile.names(in: path) where AssetStore.isSubfolder(subfolder) {
            for name in AssetFile.names(in: path + "/" + subfolder) {
                if let checksum = Asset.Checksum(hexadecimal: name) {
                    if file(checksum) == "\(path)/\(subfolder)/\(name)" { assets.append(checksum) }
                } else if name.hasPrefix(Self.unfinishedPrefix), UUID(uuidString: String(name.dropFirst())) != nil {
                    unfinished.append(subfolder + "/" + name)
                }
            }
        }
        return (assets, unfinished)
    }
}

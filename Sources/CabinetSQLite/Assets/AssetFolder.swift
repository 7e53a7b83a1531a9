import Cabinet
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The files with the bytes of one database's assets.
///
/// ```text
/// assets/private-_anna/ab/<checksum>   one name of the file for each database that has the asset
/// assets/pool/ab/<checksum>            one more for all of them, so that bytes are stored once for a whole container
/// ```
///
/// A name is given and taken away only by who has the write lock of the database's file. Files are complete, durable, and never
/// changed, before they get a name here. The name in the pool is only a help: whoever does not find it stores the bytes anew.
struct AssetFolder: Sendable {
    let store: AssetStore
    let database: DatabaseKey
    let path: String

    /// What names of files begin with that are not complete.
    private static let unfinishedPrefix = "."

    /// Where the bytes of an asset are, if the database has it.
    func file(_ checksum: Asset.Checksum) -> String { AssetStore.file(checksum, in: path) }

    /// Whether the file of an asset is there.
    func has(_ asset: StoredAsset) -> Bool { AssetFile.has(file(asset.checksum), size: asset.size) }

    /// Reads bytes of an asset.
    ///
    /// - Returns: `nil` if they are lost.
    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) throws -> Data? {
        let file = file(checksum)
        guard let descriptor = try AssetFile.openForReading(file) else { return nil }
        defer { close(descriptor) }
        return try AssetFile.read(range, of: descriptor, path: file)
    }

    /// Tells that files of removed assets are to be given back.
    func noteAbandonment() { store.noteAbandonment(in: database) }
}

// MARK: - Under the write lock

extension AssetFolder {
    /// Gives the bytes of an upload, or the same bytes in the pool, the name that the database finds them by.
    ///
    /// What lies there under the name is replaced: a transaction that was undone has left it, or the asset was removed because its
    /// bytes are damaged, and is added anew. Then those in the pool may be so too. The upload stays as it is: the transaction may be
    /// undone and run again.
    ///
    /// - Returns: The folder whose entries must be made durable before the transaction is.
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
        if try AssetFile.makeFolder(folder, store.access) { store.noteNewFolder(folder) }
        let unfinished = folder + "/" + Self.unfinishedPrefix + UUID().uuidString
        // If both names are of one file, renaming leaves both.
        defer { unlink(unfinished) }
        let file = file(asset.checksum)
        try makeFile(of: asset, from: upload, at: unfinished, usesPool: AssetFile.status(file) == nil)
        guard rename(unfinished, file) == 0 else { throw AssetFile.failure(errno, file) }
        return folder
    }

    /// Makes a file with an asset's bytes, by a further name for those in the pool if that is possible.
    private func makeFile(of asset: StoredAsset, from upload: String, at path: String, usesPool: Bool) throws {
        if usesPool, AssetFile.link(store.poolFile(asset.checksum), to: path) == 0 {
            if AssetFile.has(path, size: asset.size) { return }
            unlink(path)
        }
        switch AssetFile.link(upload, to: path) {
        case 0:
            store.offerToPool(upload, asset)
        case EXDEV, EPERM, EMLINK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL:
            // Not every file system has files with several names, nor with as many as one likes.
            try AssetFile.copy(upload, to: path, store.access)
        case let number:
            throw AssetFile.failure(number, path)
        }
    }

    /// Takes away the name of an asset that the database has no more, and with the last name the bytes.
    ///
    /// What cannot be removed now stays, as a file that nobody knows of.
    ///
    /// - Returns: Whether a file was removed.
    func remove(_ checksum: Asset.Checksum) -> Bool {
        guard unlink(file(checksum)) == 0 else { return false }
        store.leavePool(checksum)
        return true
    }

    /// Removes files that are not complete, which are nobody's: who makes one has the write lock.
    ///
    /// - Returns: How many there were.
    func removeUnfinished(_ names: [String]) -> Int {
        names.count(where: { unlink(path + "/" + $0) == 0 })
    }
}

// MARK: - What lies there

extension AssetFolder {
    /// The files of the folder: those with the name of an asset, and those that are not complete.
    ///
    /// What has another name, or another place, is somebody else's.
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

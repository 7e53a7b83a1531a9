public import Cabinet
public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension SQLiteBackend {
    /// Copies the store into a new directory, while programs use it.
    ///
    /// Each database is copied as it is at one instant, with its assets; databases share nothing, so they may be copied at different
    /// instants. Saves go on during the copy. The copy is a store that can be opened. The directory appears under its name once it is
    /// complete and on the disk; until then its name ends in `.partial`.
    ///
    /// To put a backup back, copy it with a backend on it, in the same way. <doc:BackupAndRestore> has what clients see afterwards.
    ///
    /// - Parameter target: The new directory, in an existing one.
    /// - Returns: The databases of the copy.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the directory exists, or one with the suffix `.partial` that no
    ///   interrupted backup has left. ``/Cabinet/CabinetError/Code/zoneBusy`` while another backup writes there,
    ///   ``/Cabinet/CabinetError/Code/assetNotAvailable`` if the store has lost an asset's bytes,
    ///   ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk is full, ``/Cabinet/CabinetError/Code/operationCancelled``, and the
    ///   errors of ``read(_:_:)`` about a file. Then nothing remains of the copy.
    /// - Complexity: O(*n*) in the number of bytes, with constant memory.
    @discardableResult
    public func backUp(to target: URL) async throws -> [DatabaseKey] {
        guard !StoreFile.mayExist(at: target.path) else {
            throw CabinetError(
                .invalidArguments, "The directory \(target.path) exists. A backup needs the name of a new directory.")
        }
        let databases = try await databases().sorted { $0.description < $1.description }
        let access = configuration.access
        let partial = try await assets.run(on: assets.upkeepExecutor) { _ in
            try PartialFolder(path: target.path + ".partial", access)
        }
        do {
            try await assets.run(on: assets.upkeepExecutor) { _ in
                _ = try AssetFile.makeFolder(partial.path + "/assets", access)
            }
            for database in databases {
                let path = partial.path + "/" + (try StoreFile.name(of: database))
                let folder = partial.path + "/assets/" + (try StoreFile.stem(of: database))
                let file = try await files.acquire(database)
                defer { files.release(database) }
                _ = try await file.inspect { try $0.backUp(to: path, assets: folder, access) }
            }
            try await assets.run(on: assets.upkeepExecutor) { _ in
                try AssetFile.synchronize(folder: partial.path + "/assets")
                try AssetFile.synchronize(folder: partial.path)
                guard rename(partial.path, target.path) == 0 else { throw AssetFile.failure(errno, target.path) }
                // A process that is killed before leaves the mark, which a complete copy may have.
                partial.removeMark(in: target.path)
                try AssetFile.synchronize(folder: target.deletingLastPathComponent().path)
            }
        } catch {
            partial.remove()
            throw error
        }
        return databases
    }

    /// Rebuilds the file of a database, so that it takes as little of the disk as possible.
    ///
    /// SQLite keeps the space of deleted records for new ones; this returns it to the disk. Readers continue on their snapshots.
    /// Writers wait, those of other processes up to ``SQLiteConfiguration/busyTimeout``. No record, change tag or change token
    /// changes.
    ///
    /// - Parameter database: The database.
    /// - Returns: The sizes of the file in bytes, before and after; 0 for a database that does not exist.
    /// - Throws: ``/Cabinet/CabinetError/Code/zoneBusy`` if another process writes for too long,
    ///   ``/Cabinet/CabinetError/Code/quotaExceeded`` if the disk has no room for a second copy of the file, and the errors of
    ///   ``write(_:_:)`` about the file.
    /// - Complexity: O(*n*) in the size of the file, and as much of the disk until it is done.
    @discardableResult
    public func compact(_ database: DatabaseKey) async throws -> (before: Int64, after: Int64) {
        let path = try StoreFile.path(of: database, in: assets.parent)
        guard try StoreFile.mayHaveDatabase(at: path) else { return (0, 0) }
        let file = try await files.acquire(database)
        defer { files.release(database) }
        // On the writer's thread, so that the writes of this process wait without a time limit.
        return try await withTaskExecutorPreference(file.writer.executor) { [configuration] in
            let connection = try Connection(path: path, creates: false, configuration: configuration)
            // The write-ahead log counts too, and is moved into the file first.
            func size() throws -> Int64 {
                try connection.handle.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                var status = stat()
                return stat(path, &status) == 0 ? Int64(status.st_size) : 0
            }
            let before = try size()
            try connection.handle.execute("VACUUM")
            return (before, try size())
        }
    }
}

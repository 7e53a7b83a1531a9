public import Cabinet
import Foundation
import Synchronization

extension SQLiteBackend: ChangeSignals {
    /// Returns a stream that signals each change of a database.
    ///
    /// Changes of this backend are signaled at once. Changes of another backend or process are signaled within
    /// ``SQLiteConfiguration/pollingInterval``.
    ///
    /// While a stream exists, the backend reads the modification times of the database's files at that interval, which
    /// takes some microseconds. It reads a file's version only after a change, for three seconds from then on, because a
    /// commit can be written some time before it can be read, and every ten seconds. The stream does not keep the backend alive, and ends with it.
    ///
    /// - Parameter database: The database to observe, which need not exist.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        guard let path = try? StoreFile.path(of: database, in: assets.parent) else {
            return signals.changeSignals(of: database)
        }
        let interval = max(configuration.pollingInterval, .milliseconds(1))
        let watch = Mutex(FileWatch(path: path, interval: interval))
        let known = Mutex(FileVersion())
        return signals.changeSignals(of: database, every: interval) { [watcher, weak self] in
            let change = await withTaskExecutorPreference(watcher) { watch.withLock { $0.change() } }
            var version = known.withLock(\.self)
            if change == .none { return version }
            if change == .possible { version.changes += 1 }
            // A file that cannot be read has no version, and is signaled when it changes.
            version.database = try? await self?.read(database) { try await DatabaseVersion.read(in: $0) }
            known.withLock { $0 = version }
            return version
        }
    }
}

/// The known state of an observed file: two unequal states are a signal.
private struct FileVersion: Equatable {
    /// The number of changes of the files.
    var changes = 0
    /// The version that could be read last.
    var database: DatabaseVersion?
}

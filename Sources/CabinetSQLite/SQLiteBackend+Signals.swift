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
    /// takes some microseconds. It opens a file only after a change. The stream does not keep the backend alive, and
    /// ends with it.
    ///
    /// - Parameter database: The database to observe, which need not exist.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        guard let name = try? StoreFile.name(of: database) else { return signals.changeSignals(of: database) }
        let interval = max(configuration.pollingInterval, .milliseconds(1))
        let watch = Mutex(FileWatch(path: directory.appendingPathComponent(name).path, interval: interval))
        return signals.changeSignals(of: database, every: interval) { [watcher] in
            await withTaskExecutorPreference(watcher) { watch.withLock { $0.changeCount() } }
        }
    }
}

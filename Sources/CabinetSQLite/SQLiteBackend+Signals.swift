public import Cabinet
import Foundation
import Synchronization

extension SQLiteBackend: ChangeSignals {
    /// Signals at once after each write of this backend, and within ``SQLiteConfiguration/pollingInterval`` after one of another
    /// backend or process.
    ///
    /// As long as somebody listens, the file system is asked in that interval when the file was changed last, which takes some
    /// microseconds; the file itself is opened only when it was changed. Listening does not keep the backend alive: the stream
    /// ends with it.
    ///
    /// - Parameter database: Which database to tell of; it need not exist.
    public func changeSignals(of database: DatabaseKey) -> AsyncStream<Void> {
        guard let name = try? StoreFile.name(of: database) else { return signals.changeSignals(of: database) }
        let interval = max(configuration.pollingInterval, .milliseconds(1))
        let watch = Mutex(FileWatch(path: directory.appendingPathComponent(name).path, interval: interval))
        return signals.changeSignals(of: database, every: interval) { [watcher] in
            await withTaskExecutorPreference(watcher) { watch.withLock { $0.changeCount() } }
        }
    }
}

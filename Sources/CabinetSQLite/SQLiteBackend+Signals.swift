public import Cabinet
import Foundation

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
        let own = signals.changeSignals(of: database)
        guard let name = try? StoreFile.name(of: database) else { return own }
        let path = directory.appendingPathComponent(name).path
        let interval = max(configuration.pollingInterval, .milliseconds(1))
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let polling = Task.detached(executorPreference: watcher) {
                var watch = FileWatch(path: path, interval: interval)
                while !Task.isCancelled {
                    if watch.mayHaveChanged() { continuation.yield() }
                    try? await Task.sleep(for: interval)
                }
            }
            let listening = Task.detached {
                for await _ in own { continuation.yield() }
                // The backend was closed.
                continuation.finish()
            }
            continuation.onTermination = { _ in
                polling.cancel()
                listening.cancel()
            }
        }
    }
}

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Polls the file system for changes of a database file.
struct FileWatch {
    private let paths: [String]
    private let interval: Duration
    private var last: [FileStamp?]?
    private var sinceSignal = Duration.zero
    private var count = 0

    /// The seconds after a change in which another change may go unnoticed.
    ///
    /// Two changes may fall into the same tick of the file system's clock, and a commit is written some time before it
    /// can be read.
    private static let settling = 3

    /// The longest time between two signals, which covers commits of any duration.
    private static let longest = Duration.seconds(10)

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which need not exist.
    ///   - interval: The interval in which ``mayHaveChanged()`` is called.
    init(path: String, interval: Duration) {
        paths = [path, path + "-wal"]
        self.interval = interval
    }

    /// Calls ``mayHaveChanged()``, which blocks, and returns the number of calls that returned `true`.
    mutating func changeCount() -> Int {
        if mayHaveChanged() { count += 1 }
        return count
    }

    /// Returns whether the file may have changed since the last call.
    ///
    /// This blocks: call it on a dedicated thread.
    mutating func mayHaveChanged() -> Bool {
        let stamps = paths.map(FileStamp.init)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let isRecent = stamps.contains { stamp in
            guard let stamp else { return false }
            let age = now.tv_sec.subtractingReportingOverflow(stamp.seconds)
            return !age.overflow && age.partialValue.magnitude <= Self.settling
        }
        defer { last = stamps }
        sinceSignal += interval
        guard stamps != last || isRecent || sinceSignal >= Self.longest else { return false }
        sinceSignal = .zero
        // A missing file counts as unchanged.
        return stamps != last || stamps[0] != nil
    }
}

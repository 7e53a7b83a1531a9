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
    private var sinceReading = Duration.zero

    /// The seconds after a change in which another change may go unnoticed.
    ///
    /// Two changes may fall into the same tick of the file system's clock, and a commit is written some time before it
    /// can be read.
    private static let settling = 3

    /// The longest time between two readings of the file's version, which covers commits of any duration.
    private static let longest = Duration.seconds(10)

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which need not exist.
    ///   - interval: The interval in which ``change()`` is called.
    init(path: String, interval: Duration) {
        paths = [path, path + "-wal"]
        self.interval = interval
    }

    /// The change since the last call, as far as the files show it.
    enum Change {
        case none
        /// The files have changed.
        case possible
        /// The files have not changed since the last call, but a commit that was written before it may have become readable since.
        case recent
    }

    /// Returns whether the file may have changed since the last call.
    ///
    /// This blocks: call it on a dedicated thread.
    mutating func change() -> Change {
        let stamps = paths.map(FileStamp.init)
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let isRecent = stamps.contains { stamp in
            guard let stamp else { return false }
            let age = now.tv_sec.subtractingReportingOverflow(stamp.seconds)
            return !age.overflow && age.partialValue.magnitude <= Self.settling
        }
        defer { last = stamps }
        sinceReading += interval
        if stamps == last, !isRecent, sinceReading < Self.longest { return .none }
        sinceReading = .zero
        if stamps != last { return .possible }
        // A missing file counts as unchanged.
        return stamps[0] == nil ? .none : .recent
    }
}

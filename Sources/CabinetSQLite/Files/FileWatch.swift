import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tells from what the file system knows whether a database file may have changed since one looked last.
struct FileWatch {
    /// What the file system knows of a file.
    private struct Stamp: Equatable {
        let number: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private let paths: [String]
    private let interval: Duration
    private var last: [Stamp?]?
    private var sinceSignal = Duration.zero
    private var count = 0

    /// A change of which the file system's clock tells may be followed by one within the same tick of that clock; and a commit
    /// is written some time before it can be read.
    private static let settling = 3

    /// However long a commit takes: after this time one looks anyway.
    private static let longest = Duration.seconds(10)

    /// - Parameters:
    ///   - path: Where the file is, or will be.
    ///   - interval: How long after a look the next one comes.
    init(path: String, interval: Duration) {
        paths = [path, path + "-wal"]
        self.interval = interval
    }

    /// The number of calls that have found that the file may have changed.
    ///
    /// It blocks, as ``mayHaveChanged()`` does.
    mutating func changeCount() -> Int {
        if mayHaveChanged() { count += 1 }
        return count
    }

    /// Whether the file may have changed.
    ///
    /// It blocks: call it on a thread of one's own.
    mutating func mayHaveChanged() -> Bool {
        let stamps = paths.map(Self.stamp)
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
        // What is not there has not changed.
        return stamps != last || stamps[0] != nil
    }

    /// What the file system knows; `nil` if there is no file, or an empty one, as a log is that was only opened.
    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Stamp(
            number: UInt64(truncatingIfNeeded: status.st_ino), size: Int64(status.st_size), seconds: Int(time.tv_sec),
            nanoseconds: Int(time.tv_nsec))
    }
}

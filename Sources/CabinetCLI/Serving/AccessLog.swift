import Cabinet
import CabinetServer
import Dispatch
import Foundation
import Synchronization
import TerminalProgram

/// Writes the lines of a server on a queue of its own, so that a slow reader delays no request.
///
/// Lines that cannot be written, such as on a full disk, are kept and written later. A line with an error is also written to the
/// errors of the process at once, because a client may already have the ID of its request.
final class AccessLog: Sendable {
    private struct State {
        /// The lines that are not written yet.
        var lines = Data()
        /// The lines with an error among them, and those for which there was no room.
        var errors: [(line: String, isLost: Bool)] = []
        /// The number of bytes that wait, and of those that are being written.
        var size = 0
        /// The number of lines for which there was no room.
        var lost = 0
        /// Whether the queue writes lines, or will.
        var isScheduled = false
        /// Whether the last attempt to write failed.
        var isFailing = false

        mutating func append(_ line: String) {
            let count = lines.count
            lines.append(contentsOf: (line + "\n").utf8)
            size += lines.count - count
        }
    }

    private let output: FileHandle
    private let descriptor: Int32
    private let errors: FileHandle
    private let room: Int
    private let delay = DispatchTimeInterval.milliseconds(20)
    /// The time after which lines that could not be written are written again.
    private let retryTime: DispatchTimeInterval
    private let queue = DispatchQueue(label: "com.example.cabinet.log")
    private let state = Mutex(State())

    /// The number of lines with an error that are kept at most until they are written.
    private static let maximumErrorCount = 1_000

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - output: The file or pipe.
    ///   - errors: The file or pipe for the lines with an error while the log cannot be written.
    ///   - room: The number of bytes that wait at most.
    init(
        to output: FileHandle = .standardOutput, errors: FileHandle = .standardError, room: Int = 16 << 20,
        retryTime: DispatchTimeInterval = .seconds(1)
    ) {
        self.output = output
        self.errors = errors
        self.room = room
        self.retryTime = retryTime
        descriptor = output.fileDescriptor
    }

    func write(_ record: RequestRecord) { write(line: record.json, isError: record.error != nil) }

    func write(line: String, isError: Bool = false) {
        let isFirst = state.withLock { state in
            let isLost = state.size >= room
            if isLost { state.lost += 1 } else { state.append(line) }
            if isError, state.errors.count < Self.maximumErrorCount { state.errors.append((line, isLost)) }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        // The lines of some milliseconds are written together, so that a busy server wakes a thread for many of them.
        if isFirst { schedule(after: delay) }
    }

    private func schedule(after delay: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + delay) {
            if let next = self.writeLines() { self.schedule(after: next) }
        }
    }

    /// Writes the lines that wait.
    ///
    /// - Returns: The time until the rest is written; `nil` if there is none.
    private func writeLines() -> DispatchTimeInterval? {
        let (lines, errors) = state.withLock { state in
            if state.lost > 0, !state.isFailing {
                state.append(
                    #"{"error":"\#(state.lost.counted("line of this log was", "lines of this log were")) lost: it was not written fast enough."}"#
                )
                state.lost = 0
            }
            defer { (state.lines, state.errors) = (Data(), []) }
            return (state.lines, state.errors)
        }
        let (count, error) = StandardStreams.write(lines, to: descriptor)
        let (isNew, next) = state.withLock { state -> (Bool, DispatchTimeInterval?) in
            state.size -= count
            // The next attempt continues a line that was written in part.
            if count < lines.count { state.lines = lines.dropFirst(count) + state.lines }
            let isNew = error != nil && !state.isFailing
            state.isFailing = error != nil
            state.isScheduled = !state.lines.isEmpty || state.lost > 0
            return (isNew, !state.isScheduled ? nil : error == nil ? delay : retryTime)
        }
        if let error, isNew {
            let reason = String(cString: strerror(error))
            report("cabinet: The log cannot be written: \(reason). Lines with an error follow.")
        }
        for line in errors where error != nil || line.isLost { report(line.line) }
        return next
    }

    private func report(_ line: String) {
        _ = StandardStreams.write(Array((line + "\n").utf8), to: errors.fileDescriptor)
    }

    /// Writes all lines, or reports how many are lost, unless the reader stalls for ten seconds.
    func finish() {
        let end = DispatchSemaphore(value: 0)
        queue.async {
            _ = self.writeLines()
            let lost = self.state.withLock { $0.lost + $0.lines.count { $0 == UInt8(ascii: "\n") } }
            if lost > 0 {
                self.report("cabinet: The log cannot be written: \(lost.counted("line is", "lines are")) lost.")
            }
            end.signal()
        }
        _ = end.wait(timeout: .now() + 10)
    }
}

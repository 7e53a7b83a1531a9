import CabinetServer
import Dispatch
import Foundation
import Synchronization

/// Writes the lines of a server on a queue of its own, so that a slow reader delays no request.
final class AccessLog: Sendable {
    private let output: FileHandle
    private let room: Int
    private let delay = DispatchTimeInterval.milliseconds(20)
    private let queue = DispatchQueue(label: "com.example.cabinet.log")
    /// The lines that are not written yet, and the number of those for which there was no room.
    private let waiting = Mutex((lines: Data(), lost: 0))

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - output: The file or pipe.
    ///   - room: The number of bytes that wait at most.
    init(to output: FileHandle = .standardOutput, room: Int = 16 << 20) {
        (self.output, self.room) = (output, room)
    }

    func write(_ record: RequestRecord) { write(line: record.json) }

    func write(line: String) {
        let isFirst = waiting.withLock { waiting in
            guard waiting.lines.count < room else {
                waiting.lost += 1
                return false
            }
            defer { waiting.lines.append(contentsOf: (line + "\n").utf8) }
            return waiting.lines.isEmpty
        }
        // The lines of some milliseconds are written together, so that a busy server wakes a thread for many of them.
        if isFirst { queue.asyncAfter(deadline: .now() + delay) { self.writeLines() } }
    }

    private func writeLines() {
        let (lines, lost) = waiting.withLock { waiting in
            defer { waiting = (Data(), 0) }
            return waiting
        }
        if lines.isEmpty { return }
        let gap = lost > 0 ? "{\"error\":\"\(lost) lines of this log were lost: their reader was too slow.\"}\n" : ""
        try? output.write(contentsOf: lines + Data(gap.utf8))
    }

    /// Writes all lines.
    func finish() { queue.sync { writeLines() } }
}

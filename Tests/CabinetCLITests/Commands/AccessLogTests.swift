import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CabinetCLI

@Suite("The log of a server", .timeLimit(.minutes(15)))
struct AccessLogTests {
    /// Writes lines to a pipe, and returns what its reader gets.
    private func lines(_ count: Int, room: Int) throws -> [String] {
        let pipe = Pipe()
        let log = AccessLog(to: pipe.fileHandleForWriting, room: room)
        let line = String(repeating: "a", count: 999)
        // More than a pipe holds, so that the first of them keep the queue busy.
        for _ in 0..<count { log.write(line: line) }
        let text = Mutex(Data())
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
            text.withLock { $0 = bytes }
            isRead.signal()
        }
        log.finish()
        try pipe.fileHandleForWriting.close()
        isRead.wait()
        return text.withLock { String(decoding: $0, as: UTF8.self) }.split(separator: "\n").map(String.init)
    }

    @Test("waits for a slow reader, and loses nothing while there is room")
    func slowReader() throws {
        let lines = try lines(2_000, room: 16 << 20)
        #expect(lines.count == 2_000 && lines.allSatisfy { $0.utf8.count == 999 })
    }

    @Test("says how many lines were lost because their reader was too slow")
    func fullRoom() throws {
        let lines = try lines(2_000, room: 200_000)
        let gaps = lines.filter { $0.hasPrefix("{") }
        let lost = gaps.compactMap { $0.firstMatch(of: /([0-9]+) lines/).flatMap { Int($0.1) } }.reduce(0, +)
        #expect(!gaps.isEmpty && lost > 1_000)
        #expect(lines.count - gaps.count + lost == 2_000)
    }
}

import Dispatch
import Foundation
import ProgramTestSupport
import Synchronization
import Testing

@testable import CabinetCLI

@Suite("The log of a server", .timeLimit(.minutes(15)))
struct AccessLogTests {
    /// Writes lines to a pipe, and returns what its reader gets.
    private func lines(_ count: Int, room: Int, blocks: Bool = true) throws -> [String] {
        let pipe = Pipe()
        if !blocks { _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFL, O_NONBLOCK) }
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

    @Test("waits for a slow reader, and loses nothing while there is room", arguments: [true, false])
    func slowReader(blocks: Bool) throws {
        let lines = try lines(2_000, room: 16 << 20, blocks: blocks)
        #expect(lines.count == 2_000 && lines.allSatisfy { $0.utf8.count == 999 })
    }

    @Test("says how many lines were lost because it was not written fast enough")
    func fullRoom() throws {
        let lines = try lines(2_000, room: 200_000)
        let gaps = lines.filter { $0.hasPrefix("{") }
        let lost = gaps.compactMap { $0.firstMatch(of: /([0-9]+) lines?/).flatMap { Int($0.1) } }.reduce(0, +)
        #expect(!gaps.isEmpty && lost > 1_000)
        #expect(lines.count - gaps.count + lost == 2_000)
    }

    #if canImport(Glibc)
    @Test("keeps the lines that cannot be written, and writes those with an error elsewhere")
    func fullDisk() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "log")
        let output = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let errors = Pipe()
        let log = AccessLog(to: output, errors: errors.fileHandleForWriting, retryTime: .milliseconds(5))
        log.write(line: "a")
        log.write(line: "b", isError: true)
        var text = ""
        while !text.hasSuffix("\nb\n") {
            text += String(decoding: try #require(try errors.fileHandleForReading.read(upToCount: 1)), as: UTF8.self)
        }
        #expect(text.contains("No space left on device"))
        // The disk has room again.
        let target = try #require(FileHandle(forWritingAtPath: file))
        #expect(dup2(target.fileDescriptor, output.fileDescriptor) >= 0)
        log.finish()
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "a\nb\n")
    }

    #if compiler(>=6.2)
    @Test("continues a line that was written in part")
    func partialLine() async {
        // The limit of the sizes of files is one of the process.
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            try Data().write(to: file)
            signal(SIGXFSZ, SIG_IGN)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            let size = limit.rlim_cur
            limit.rlim_cur = 1_500
            setrlimit(resource, &limit)
            let errors = Pipe()
            let output = try FileHandle(forWritingTo: file)
            let log = AccessLog(to: output, errors: errors.fileHandleForWriting, retryTime: .milliseconds(5))
            let line = String(repeating: "a", count: 999)
            for _ in 0..<3 { log.write(line: line) }
            #expect(try errors.fileHandleForReading.read(upToCount: 1)?.count == 1)
            limit.rlim_cur = size
            setrlimit(resource, &limit)
            log.finish()
            #expect(try String(contentsOf: file, encoding: .utf8) == String(repeating: line + "\n", count: 3))
        }
    }
    #endif
    #endif
}

import Cabinet
import Foundation
import JSONLinesBackend
import Testing

@Suite("A process that dies in the middle of saves, or whose disk is full, loses no save that has returned")
struct KilledProcessTests {
    @Test(arguments: [5, 40, 120])
    func killed(after count: Int) async throws {
        let file = try TemporaryFile()
        let story = try SavingStory(file.url)
        story.waitForLines(count)
        story.kill()
        let end = story.finish()
        #expect(end.saved >= count)
        try await check(file, saved: end.saved)
    }

    @Test("A write that fails in its middle is rolled back and reported, and the file stays whole")
    func full() async throws {
        let file = try TemporaryFile()
        let end = try SavingStory(file.url, largestFile: 64).finish()
        #expect(end.status == 1)
        #expect(end.errors.contains("\(file.url.path) cannot be written"), "\(end.errors)")
        #expect(end.saved > 3)
        #expect(try file.text.hasSuffix("}\n"))
        try await check(file, saved: end.saved)
    }

    /// Checks whether a file has the records of the reported steps, and possibly the next save or deletion, whole.
    private func check(_ file: TemporaryFile, saved count: Int) async throws {
        try await file.withDatabase { backend, database in
            let lists = try await database.allRecords(matching: Query(recordType: "Lists")).map(\.recordID.recordName)
            let items = try await database.allRecords(matching: Query(recordType: "Items")).map(\.recordID.recordName)
            let sure = (0..<count).filter { $0 % 3 != 2 }.map { "list-\($0)" }
            #expect(Set(lists).subtracting(["list-\(count)"]) == Set(sure))
            #expect(Set(items) == Set(lists.flatMap { ["\($0)-Milk", "\($0)-Bread"] }))
            let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
            #expect(Set(changes.modificationResultsByID.keys.map(\.recordName)).isSuperset(of: lists + items))
            try await backend.compact()
        }
        try await file.withDatabase { _, database in
            let count = try await database.count(matching: Query(recordType: "Items"))
            #expect(count == 2 * (try await database.count(matching: Query(recordType: "Lists"))))
            try await database.save(Record(recordType: "Lists"))
        }
    }
}

/// A run of the program that plays a story on a file, and prints a number after each list that it has saved.
private final class SavingStory {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    private var printed = Data()

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - largestFile: The maximum number of blocks of a file; a write beyond it fails in its middle.
    init(_ file: URL, largestFile: Int? = nil) throws {
        let executable = try #require(Self.executable)
        let limit = largestFile.map { "ulimit -f \($0); trap '' XFSZ; " } ?? ""
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", limit + "exec \"$0\" \"$1\"", executable.path, file.path]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    func waitForLines(_ count: Int) {
        while printed.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return }
            printed += data
        }
    }

    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
    }

    /// Waits until the program has ended.
    ///
    /// An incomplete number was not printed.
    func finish() -> (saved: Int, errors: String, status: Int32) {
        printed += output.fileHandleForReading.readDataToEndOfFile()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let saved = printed.count { $0 == UInt8(ascii: "\n") }
        return (saved, String(decoding: text, as: UTF8.self), process.terminationStatus)
    }

    /// The program's file, which the build puts beside the tests' bundle.
    private static let executable: URL? =
        CommandLine.arguments.lazy.filter { $0.contains(".xctest") }.compactMap { argument in
            var folder = URL(fileURLWithPath: argument)
            while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
            let file = folder.appendingPathComponent("JSONLinesSavingProcess")
            return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
        }.first
}

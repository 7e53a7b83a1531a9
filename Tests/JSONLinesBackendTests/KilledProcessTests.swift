import Cabinet
import Foundation
import JSONLinesBackend
import Testing

@Suite("A process that is killed in the middle of saves loses none that has returned")
struct KilledProcessTests {
    @Test(arguments: [5, 40, 120])
    func killed(after count: Int) async throws {
        let file = try TemporaryFile()
        let process = Process()
        let output = Pipe()
        let executable = try #require(Self.executable)
        process.executableURL = executable
        process.arguments = [file.url.path]
        process.standardOutput = output
        try process.run()
        var printed = Data()
        while printed.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            printed += data
        }
        kill(process.processIdentifier, SIGKILL)
        printed += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A number without its end was not printed.
        let numbers = String(decoding: printed, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().compactMap { Int($0) }
        #expect(numbers.count >= count)

        try await file.withDatabase { backend, database in
            let lists = try await database.allRecords(matching: Query(recordType: "Lists")).map(\.recordID.recordName)
            let items = try await database.allRecords(matching: Query(recordType: "Items")).map(\.recordID.recordName)
            // The story may be one save or deletion further than what was said.
            let sure = numbers.filter { $0 % 3 != 2 }.map { "list-\($0)" }
            let next = "list-\(numbers.count)"
            #expect(Set(lists).subtracting([next]) == Set(sure))
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

    /// The program's file, which the build puts beside the tests' bundle.
    private static let executable: URL? =
        CommandLine.arguments.lazy.filter { $0.contains(".xctest") }.compactMap { argument in
            var folder = URL(fileURLWithPath: argument)
            while folder.path.contains(".xctest") { folder.deleteLastPathComponent() }
            let file = folder.appendingPathComponent("JSONLinesSavingProcess")
            return FileManager.default.isExecutableFile(atPath: file.path) ? file : nil
        }.first
}

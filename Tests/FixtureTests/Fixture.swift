import Cabinet
import CabinetTools
import Foundation
import StorageTestSupport

@testable import CabinetSQLite

/// A folder with files of an earlier version: a store with values that programs keep, or an export.
struct Fixture: Sendable, CustomStringConvertible {
    let description: String

    static let oldestLayout = Layout.oldestVersion
    static let layout = Layout.version

    private static let all = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    /// The fixtures whose names begin so.
    static func named(_ prefix: String) -> [Self] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: all.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) }.sorted().map(Self.init)
    }

    var folder: URL { Self.all.appendingPathComponent(description) }

    private var isExport: Bool { description.hasPrefix("export-") }

    /// Whether a field and a record type of the store were renamed.
    var isRenamed: Bool { description.hasPrefix("renamed-") }

    /// The expected content and answers, in lines.
    var expected: [String] {
        get throws {
            try String(contentsOf: folder.appendingPathComponent("expected.txt"), encoding: .utf8).split(
                separator: "\n"
            )
            .map(String.init)
        }
    }

    static func container(_ store: URL) throws -> Container {
        try Container(identifier: "org.cabinet.fixtures", backend: SQLiteBackend(directory: store), deviceID: "fixture")
    }

    /// The store's content, and what the kept values lead to in it.
    ///
    /// Closes the container.
    static func answers(of container: Container, _ values: StoredValues) async throws -> [String] {
        let content = try await DatabaseContent(container).description
        let lines = try await values.answers(of: container)
        await container.close()
        return content.split(separator: "\n").map(String.init) + lines
    }

    /// Writes the fixture, as this version stores it.
    ///
    /// `sqlite-7` and `sqlite-8` are stores of this version with what differs in these layouts, whose full-text indexes were others. A
    /// fixture has none.
    func write() async throws {
        let files = FileManager.default
        if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        if description.hasPrefix("values-") {
            return try await CodedValues().data.write(to: folder.appendingPathComponent("values.json"))
        }
        let scratch = try TemporaryFolder()
        let store = isExport ? scratch.url.appendingPathComponent("store") : folder.appendingPathComponent("store")
        let container = try Self.container(store)
        let values = try await fill(container, in: scratch.url)
        let content = try await DatabaseContent(container)
        await container.close()
        if isExport {
            let file = folder.appendingPathComponent("records.jsonl")
            try await TransferProgram.run(["export", file.path, "--store", store.path])
            try content.records.joined(separator: "\n").write(
                to: folder.appendingPathComponent("expected.txt"), atomically: true, encoding: .utf8)
            return
        }
        if description == "sqlite-7" { try Self.lowerLayout(of: store) }
        if description == "sqlite-8" { try Self.setLayout(8, of: store) }
        try JSONEncoder().encode(values).write(to: folder.appendingPathComponent("values.json"))
        let copy = scratch.url.appendingPathComponent("copy")
        try files.copyItem(at: store, to: copy)
        try await writeAnswers(of: try Self.container(copy), values)
    }

    func writeAnswers(of container: Container, _ values: StoredValues) async throws {
        try await Self.answers(of: container, values).joined(separator: "\n").write(
            to: folder.appendingPathComponent("expected.txt"), atomically: true, encoding: .utf8)
    }

    /// Takes steps of a program, and returns the values that the program has kept in their middle.
    func fill(_ container: Container, in scratch: URL) async throws -> StoredValues {
        var values: StoredValues?
        let last = isExport ? "cascade" : isRenamed ? "double" : "rename"
        for step in CrashStep.all(in: scratch) where step.name != "large" {
            if step.name == "replace" { values = try await StoredValues(container) }
            if step.name == last { break }
            try await step.perform(container.privateDatabase)
        }
        return try values ?? { throw CocoaError(.coderValueNotFound) }()
    }

    /// The values that a program has kept.
    var values: StoredValues {
        get throws {
            let data = try Data(contentsOf: folder.appendingPathComponent("values.json"))
            return try JSONDecoder().decode(StoredValues.self, from: data)
        }
    }

    /// Layout 7 had all rows in the index by the last change.
    private static func lowerLayout(of store: URL) throws {
        let path = store.appendingPathComponent("private-_default_user.sqlite").path
        try withExtendedLifetime(DatabaseHandle(path: path, creates: false)) { handle in
            for table in ["Items", "Lists"] {
                try handle.execute("DROP INDEX \"cabinet_change_\(table)\"")
                try handle.execute(
                    "CREATE INDEX \"cabinet_change_\(table)\" ON \"\(table)\"(\"___zone\", \"___etag\")")
            }
        }
        try setLayout(7, of: store)
    }

    private static func setLayout(_ version: Int, of store: URL) throws {
        let path = store.appendingPathComponent("private-_default_user.sqlite").path
        try DatabaseHandle(path: path, creates: false).execute("PRAGMA user_version = \(version)")
    }
}

/// A folder that is removed with this value.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-fixture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

/// The program `cabinet`.
enum TransferProgram {
    static func run(_ arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try BuiltProgram.url("cabinet")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in ended.finish() }
        try process.run()
        for await _ in ends {}
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
    }
}

import Cabinet
import CabinetSQLite
import Foundation
import StorageTestSupport

/// A command of a program, which works on stores and files.
///
/// If the command reports success, it has done all of its work, and otherwise all or nothing where it says so. Repeated without a
/// fault, it does the rest. All stores verify.
struct CommandScenario: CrashScenario {
    /// The content that a failed command may leave.
    enum Unit {
        /// Everything, or nothing.
        case whole
        /// A part, which the repeated command completes.
        case repeatable
    }

    let name: String
    let program: String
    let words: [String]
    /// The folder of the store whose content the command changes.
    let target: String
    let unit: Unit
    private let template: Template

    /// Creates a scenario.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments. Arguments that begin with `/` are files in the run's folder.
    ///   - target: The store or the export that is judged.
    ///   - setup: Commands before it, which always succeed, in a store that has the records of the steps.
    init(_ command: [String], to target: String, _ unit: Unit, after setup: [[String]] = []) async throws {
        name = command.prefix(3).filter { !$0.contains("/") && !$0.hasPrefix("-") }.joined(separator: " ")
        program = command[0]
        words = Array(command.dropFirst())
        self.target = target
        self.unit = unit
        template = try await Template(setup)
        // The command's result without a fault.
        let folder = try template.copy()
        defer { try? FileManager.default.removeItem(at: folder) }
        let before = try await Self.content(of: target, in: folder)
        let run = try await CrashRun(BuiltProgram.url(program), Self.arguments(words, in: folder), in: folder)
        guard run.status == 0 else { throw Failure(description: "\(name) fails: \(run.errors)") }
        expected = (before, try await Self.content(of: target, in: folder))
    }

    private let expected: (before: DatabaseContent?, after: DatabaseContent?)

    func arguments(in folder: URL) -> [String] { Self.arguments(words, in: folder) }

    func prepare(_ folder: URL) throws { try template.fill(folder) }

    func losses(after run: CrashRun, in folder: URL) async throws -> [String] {
        var losses: [String] = []
        func check(_ name: String, _ found: DatabaseContent?, _ contents: [DatabaseContent?]) {
            let (found, texts) = (Self.text(found), contents.map(Self.text))
            if texts.contains(found) { return }
            losses.append("\(name): \(found)\n--- expected\n\(texts.joined(separator: "\n--- or\n"))")
        }
        if run.status == 0 || unit == .whole {
            let found = try await Self.content(of: target, in: folder)
            check("\(target) has", found, run.status == 0 ? [expected.after] : [expected.before, expected.after])
        }
        if run.status == 0 || unit == .whole { return losses }
        let repeated = try await CrashRun(BuiltProgram.url(program), arguments(in: folder), in: folder)
        if repeated.status != 0 { losses.append("The repeated command fails: \(repeated.errors)") }
        check("After the repeated command", try await Self.content(of: target, in: folder), [expected.after])
        return losses
    }

    private static func arguments(_ words: [String], in folder: URL) -> [String] {
        words.map { $0.hasPrefix("/") ? folder.path + $0 : $0 }
    }

    /// The records of a content, without the names that a program has made up.
    private static func text(_ content: DatabaseContent?) -> String {
        (content?.records.map { $0.replacing(/[0-9A-F]{8}-[0-9A-F-]{27}/, with: "UUID") } ?? ["nothing"]).sorted()
            .joined(separator: "\n")
    }

    /// The content of a store, or of an export when it is imported.
    private static func content(of target: String, in folder: URL) async throws -> DatabaseContent? {
        let path = folder.path + target
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard target.hasSuffix(".jsonl") else {
            return try await StoreScenario.content(of: URL(fileURLWithPath: path), saving: false)
        }
        let store = FileManager.default.temporaryDirectory.appendingPathComponent("cabinet-crash-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: store) }
        let run = try await CrashRun(
            BuiltProgram.url("cabinet"), ["import", path, "--store", store.path], in: folder)
        guard run.status == 0 else { throw Failure(description: "The file cannot be imported: \(run.errors)") }
        return try await StoreScenario.content(of: store, saving: false)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

/// The files with which each run of a command begins.
private final class Template: Sendable {
    private let folder: URL

    init(_ setup: [[String]]) async throws {
        let files = FileManager.default
        folder = files.temporaryDirectory.appendingPathComponent("cabinet-crash-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        let backend = SQLiteBackend(directory: folder.appendingPathComponent("store"))
        let container = try Container(identifier: "org.cabinet.crash", backend: backend)
        for step in CrashStep.all(in: folder) { try await step.perform(container.privateDatabase) }
        await container.close()
        for command in setup {
            let arguments = command.dropFirst().map { $0.hasPrefix("/") ? folder.path + $0 : $0 }
            let run = try await CrashRun(BuiltProgram.url(command[0]), Array(arguments), in: folder)
            guard run.status == 0 else {
                throw CommandScenario.Failure(description: "\(command) fails: \(run.errors)")
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func fill(_ target: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent(name), to: target.appendingPathComponent(name))
        }
    }

    func copy() throws -> URL {
        let target = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cabinet-crash-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        try fill(target)
        return target
    }
}

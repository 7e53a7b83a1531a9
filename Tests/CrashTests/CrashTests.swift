import Foundation
import StorageTestSupport
import Testing

/// Every call of a small program to the file system fails once, or the program is killed before it: nothing acknowledged is lost,
/// nothing is half done, and the store opens and verifies.
///
/// `make crash` does it for all calls; without it, a seed selects some. `CABINET_CRASH=2:60` takes 60 seconds of seed 2 for each
/// program.
@Suite("Crashes", .serialized)
struct CrashTests {
    private static let extent: CrashSweep.Extent = {
        let text = ProcessInfo.processInfo.environment["CABINET_CRASH"] ?? "1:2"
        let parts = text.split(separator: ":").compactMap { UInt64($0) }
        return parts.count == 2 ? .sample(seed: parts[0], .seconds(Int64(parts[1]))) : .all
    }()

    @discardableResult
    private func sweep(_ scenario: some CrashScenario, _ extent: CrashSweep.Extent = extent) async throws -> CrashSweep
    {
        let sweep = try await CrashSweep(scenario, extent)
        let counts = CrashFault.allCases.map { "\(sweep.runs[$0] ?? 0) \($0)" }.joined(separator: ", ")
        print("crash: \(scenario.name): \(counts), \(sweep.losses.count) losses")
        #expect(sweep.runs.values.reduce(0, +) > 0)
        return sweep
    }

    private func check(_ scenario: some CrashScenario) async throws {
        for loss in try await sweep(scenario).losses { Issue.record("\(loss)") }
    }

    @Test("A store on SQLite") func store() async throws { try await check(StoreScenario()) }

    @Test("A share of a hierarchy") func share() async throws { try await check(try await ShareScenario()) }

    @Test("A key store of files") func keys() async throws { try await check(KeyScenario()) }

    @Test(
        "A command of the dashboard",
        arguments: [
            (["copy", "/copy", "--store", "/store"], "/copy", CommandScenario.Unit.repeatable, [[String]]()),
            (["backup", "/backup", "--store", "/store"], "/backup", .whole, []),
            (["compact", "--store", "/store"], "/store", .whole, []),
            (["export", "/new.jsonl", "--store", "/store"], "/new.jsonl", .repeatable, []),
            (
                ["import", "/old.jsonl", "--store", "/new"], "/new", .repeatable,
                [["cabinet", "export", "/old.jsonl", "--store", "/store"]]
            ),
            (["delete", "b", "--store", "/store"], "/store", .whole, []),
        ])
    func command(_ words: [String], target: String, unit: CommandScenario.Unit, setup: [[String]]) async throws {
        try await check(CommandScenario(["cabinet"] + words, to: target, unit, after: setup))
    }

    @Test("A folder that cannot be read to its end is an error, not a backup without databases")
    func unreadableFolder() async throws {
        let backup = ["cabinet", "backup", "/backup", "--store", "/store"]
        let scenario = try await CommandScenario(backup, to: "/backup", .whole)
        let losses = try await CrashSweep(scenario, .all, of: "readdir").losses
        #expect(losses == [])
    }

    @Test("A backup that is killed is replaced by the next one of its name", arguments: ["mkdir", "rename", "unlink"])
    func repeatedBackup(function: String) async throws {
        let backup = ["cabinet", "backup", "/backup", "--store", "/store"]
        let scenario = try await CommandScenario(backup, to: "/backup", .whole)
        for number in 1... {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "cabinet-crash-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try scenario.prepare(folder)
            let (program, arguments) = (try BuiltProgram.url("cabinet"), scenario.arguments(in: folder))
            let run = try await CrashRun(program, arguments, fault: (.kill, number), of: function, in: folder)
            guard let call = run.call else { break }
            if FileManager.default.fileExists(atPath: folder.path + "/backup") { continue }
            let repeated = try await CrashRun(program, arguments, in: folder)
            #expect(repeated.status == 0, "After \(call): \(repeated.errors)")
        }
    }

    /// Runs a command once for each of its calls that bring a file to the disk, which fails.
    ///
    /// - Returns: The calls, and whether the command failed with them.
    private func synchronizations(_ scenario: CommandScenario) async throws -> [String: Bool] {
        var calls: [String: Bool] = [:]
        for number in 1... {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
                "cabinet-crash-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try scenario.prepare(folder)
            let run = try await CrashRun(
                BuiltProgram.url("cabinet"), scenario.arguments(in: folder), fault: (.io, number), of: "fsync",
                in: folder)
            guard let call = run.call?.replacing(/[0-9A-F]{8}-[0-9A-F-]{27}/, with: "UUID") else { break }
            calls[call] = run.status != 0 && calls[call] ?? true
        }
        return calls
    }

    @Test("An export is done only when its file, its assets and their folders are on the disk")
    func synchronizedExport() async throws {
        let export = ["cabinet", "export", "/new.jsonl", "--store", "/store"]
        let calls = try await synchronizations(CommandScenario(export, to: "/new.jsonl", .repeatable))
        #expect(calls.filter { !$0.value } == [:])
        let others: Set = ["fsync …/new.jsonl.assets", "fsync …/new.jsonl.partial", "fsync …"]
        #expect(others.isSubset(of: calls.keys))
        let assets = others.symmetricDifference(calls.keys)
        #expect(assets.count == 2 && assets.allSatisfy { $0.hasPrefix("fsync …/new.jsonl.assets/") })
    }

    @Test("Credentials and a restored store are on the disk when the command ends, and so are their names")
    func synchronizedNames() async throws {
        let add = ["cabinet", "users", "add", "ann", "--store", "/store"]
        let signIn = ["cabinet", "users", "sign-in", "ann", "--to", "/ann.json", "--store", "/store"]
        // The file is written the first time, and then replaced.
        for setup in [[add], [add, signIn]] {
            let calls = try await synchronizations(CommandScenario(signIn, to: "/store", .repeatable, after: setup))
            #expect(calls["fsync …/.UUID.partial"] == true && calls["fsync …"] == true, "\(calls)")
        }
        let backup = ["cabinet", "backup", "/backup", "--store", "/store"]
        let restore = ["cabinet", "restore", "/backup", "--store", "/new"]
        let calls = try await synchronizations(CommandScenario(restore, to: "/new", .whole, after: [backup]))
        #expect(calls["fsync …"] == true, "\(calls)")
    }

    @Test("A command of an example")
    func example() async throws {
        let list = ["shopping-list", "lists", "add", "Food", "--store", "/list"]
        let item = ["shopping-list", "items", "add", "Food", "Milk", "--store", "/list"]
        let other = ["shopping-list", "lists", "add", "Drinks", "--store", "/list"]
        try await check(CommandScenario(other, to: "/list", .whole, after: [list, item]))
        let deletion = ["shopping-list", "lists", "delete", "Food", "--store", "/list"]
        try await check(CommandScenario(deletion, to: "/list", .whole, after: [list, item, item]))
    }

    @Test("A program that writes two files one after the other is found")
    func findsFaults() async throws {
        let losses = try await sweep(TwoFiles(), .all).losses
        #expect(losses.contains { $0.contains("kill") })
        #expect(losses.contains { $0.contains("io") && $0.contains("exit 0") })
    }
}

/// A shell that writes two files, ignores failures, and needs both or none.
private struct TwoFiles: CrashScenario {
    let name = "two files"
    let program = "/bin/sh"

    func arguments(in folder: URL) -> [String] {
        ["-c", "echo a > \(folder.path)/a; echo b > \(folder.path)/b; exit 0"]
    }

    func prepare(_ folder: URL) {}

    func losses(after run: CrashRun, in folder: URL) -> [String] {
        let sizes = ["a", "b"].map { (try? Data(contentsOf: folder.appendingPathComponent($0)))?.count ?? 0 }
        return sizes == [2, 2] || sizes == [0, 0] && run.status != 0 ? [] : ["The files have \(sizes) bytes."]
    }
}

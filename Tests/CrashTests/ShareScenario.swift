import Cabinet
import CabinetSQLite
import CabinetTools
import Foundation
import StorageTestSupport

/// A program that shares a hierarchy, accepts, moves a part of it out and in again, leaves, and ends the share.
///
/// Each step is whole or not done, the rest of them works from there, and the store verifies: a crash between the two transactions of
/// an acceptance needs no repair.
struct ShareScenario: CrashScenario {
    let name = "a shared hierarchy"
    let program = "SavingProcess"
    /// The contents of a store before each step, and after the last one.
    private let contents: [[String]]

    init() async throws {
        let users = try ShareUsers(MemoryBackend())
        var contents = [try await users.content()]
        for step in ShareStep.allCases {
            try await step.perform(users)
            contents.append(try await users.content())
        }
        self.contents = contents
    }

    func arguments(in folder: URL) -> [String] { [folder.appendingPathComponent("store").path, "shares"] }

    func prepare(_ folder: URL) {}

    func losses(after run: CrashRun, in folder: URL) async throws -> [String] {
        let done = run.output.filter { $0.hasPrefix("ok ") }.count
        let users = try ShareUsers(SQLiteBackend(directory: folder.appendingPathComponent("store")))
        let losses: [String]
        do {
            losses = try await self.losses(of: users, after: done)
        } catch {
            losses = ["The steps after \(done) do not work: \(error)"]
        }
        await users.close()
        return losses
    }

    private func losses(of users: ShareUsers, after done: Int) async throws -> [String] {
        let found = try await users.content()
        // The answer to the last step may be lost.
        guard let state = contents[done...].prefix(2).firstIndex(of: found) else {
            return ["After \(done) steps the store has \(found)."]
        }
        for step in ShareStep.allCases.dropFirst(state) { try await step.perform(users) }
        let last = try await users.content()
        let report = try await users.owner.verify()
        return (last == contents.last ? [] : ["After all steps the store has \(last)."])
            + (report.isClean ? [] : ["\(report)"])
    }
}

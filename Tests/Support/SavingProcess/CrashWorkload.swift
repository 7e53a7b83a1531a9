import Cabinet
import CabinetSQLite
import Foundation
import StorageTestSupport

/// A workload whose steps are reported one by one, and that goes on after a failure.
struct CrashWorkload {
    let backend: SQLiteBackend
    let folder: URL

    func run() async throws {
        let database = try Container(identifier: "org.cabinet.crash", backend: backend).privateDatabase
        for step in CrashStep.all(in: folder) {
            await report(step.name) { try await step.perform(database) }
        }
        await report("compact") { _ = try await backend.compact(.private(owner: Account.default.userRecordName)) }
        await report("backup") { try await backend.backUp(to: folder.appendingPathComponent("backup")) }
        await backend.close()
    }

    private func report(_ name: String, _ step: () async throws -> Void) async {
        do {
            try await step()
            FileHandle.standardOutput.write(Data("ok \(name)\n".utf8))
        } catch {
            FileHandle.standardOutput.write(Data("failed \(name)\n".utf8))
            FileHandle.standardError.write(Data("\(name): \(error)\n".utf8))
        }
    }
}

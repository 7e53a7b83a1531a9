import Cabinet
import CabinetSQLite
import Foundation
import StorageTestSupport

/// The life of a share, whose steps are reported one by one; the first failure ends it.
struct ShareSteps {
    let backend: SQLiteBackend

    func run() async -> Never {
        do {
            let users = try ShareUsers(backend)
            for step in ShareStep.allCases {
                try await step.perform(users)
                FileHandle.standardOutput.write(Data("ok \(step.rawValue)\n".utf8))
            }
            await users.close()
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}

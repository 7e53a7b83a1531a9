import Cabinet
import CabinetSQLite
import Foundation

/// Copies, compactions and reads of a store in a directory, on a disk that is full or until the process is killed.
struct BackupSteps {
    let backend: SQLiteBackend

    /// - Parameter target: The directory of the copy.
    func run(_ step: String, to target: URL) async {
        do {
            switch step {
            case "backup":
                limitFiles()
                try await backend.backUp(to: target)
            case "count":
                limitFiles(to: 0)
                let database = try Container(identifier: "org.cabinet.saving-process", backend: backend).publicDatabase
                let count = try await database.count(matching: Query(recordType: "Items"))
                FileHandle.standardOutput.write(Data("\(count)".utf8))
            case "compact":
                limitFiles()
                try await backend.compact(.public)
            case "backups":
                while true {
                    try await backend.backUp(to: target)
                    try FileManager.default.removeItem(at: target)
                }
            default: exit(64)
            }
            exit(0)
        } catch {
            FileHandle.standardError.write(Data("\((error as? CabinetError)?.code.description ?? ""): \(error)\n".utf8))
            exit(1)
        }
    }

    /// Limits the size of each file.
    private func limitFiles(to bytes: rlim_t = 200_000) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: bytes, rlim_max: bytes)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #else
        setrlimit(RLIMIT_FSIZE, &limit)
        #endif
    }
}

import Cabinet
import CabinetCloudKit
import CabinetSQLite
import Foundation

/// The stores that the tests of the class-based API run on.
enum CloudStore: String, CaseIterable, Sendable {
    case memory
    case sqlite

    /// Runs a test with a container of its own.
    func run<Result>(
        options: CabinetCloudKit.Options = CabinetCloudKit.Options(), _ body: (CKContainer) async throws -> Result
    ) async throws -> Result {
        switch self {
        case .memory:
            return try await body(
                CKContainer(identifier: "iCloud.com.example.test", backend: MemoryBackend(), options: options))
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: directory) }
            let backend = SQLiteBackend(directory: directory)
            let container = CKContainer(identifier: "iCloud.com.example.test", backend: backend, options: options)
            do {
                let result = try await body(container)
                await backend.close()
                return result
            } catch {
                await backend.close()
                throw error
            }
        }
    }
}

/// Returns the errors of the items of a request that fails in part, by ID.
func partialErrors<Success>(_ body: () async throws -> Success) async -> [AnyHashable: CKError.Code] {
    do {
        _ = try await body()
        return [:]
    } catch {
        guard let error = error as? CKError, error.code == .partialFailure else { return [:] }
        return (error.partialErrorsByItemID ?? [:]).compactMapValues { ($0 as? CKError)?.code }
    }
}

/// Returns the code of the error that a closure throws.
func code<Success>(_ body: () async throws -> Success) async -> CKError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? CKError)?.code
    }
}

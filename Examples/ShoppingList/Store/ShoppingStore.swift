import Cabinet
import CabinetSQLite
import Foundation

/// The user's lists and items: the private database of the app's container, in a folder.
struct ShoppingStore: Sendable {
    private let container: Container

    /// Where the lists and items are.
    var database: Database { container.privateDatabase }

    /// Opens the store in a folder; the first save makes the folder.
    init(folder: URL) throws(ShoppingError) {
        do {
            container = try Container(
                identifier: "com.example.shopping-list", backend: SQLiteBackend(directory: folder))
        } catch {
            throw ShoppingError(sentence: .listsNotFetched, reason: error)
        }
    }

    /// Fetches the user's record ID, then the user's record.
    @discardableResult
    func fetchUserRecord() async throws(ShoppingError) -> Record {
        try await saying(.listsNotFetched) {
            let userRecordID = try await container.userRecordID()
            return try await database.record(for: userRecordID)
        }
    }

    /// Closes the store's files.
    func close() async {
        await container.close()
    }
}

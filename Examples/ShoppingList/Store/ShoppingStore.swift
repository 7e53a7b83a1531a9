import Cabinet
import CabinetPostgres
import CabinetSQLite
import TerminalProgram

/// The user's lists and items: the private database of the app's container, in a folder or on a server.
struct ShoppingStore: Sendable {
    private let container: Container

    /// The location of the lists and items.
    var database: Database { container.privateDatabase }

    /// The lists of the database.
    var listTable: Table<Lists> { database.table(Lists.self) }

    /// The items of the database.
    var itemTable: Table<Items> { database.table(Items.self) }

    /// Opens the store.
    ///
    /// The first save creates the folder, or the tables.
    init(_ store: StoreLocation) throws(ShoppingError) {
        do {
            let backend: any StorageBackend =
                switch store {
                case .folder(let folder): SQLiteBackend(directory: folder)
                case .server(let server):
                    try PostgresBackend(
                        connection: server.text, configuration: PostgresConfiguration(schema: "shopping_list"))
                }
            container = try Container(identifier: "com.example.shopping-list", backend: backend)
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

    /// Closes the store's files or connections.
    func close() async {
        await container.close()
    }
}

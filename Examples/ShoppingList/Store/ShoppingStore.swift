import Cabinet
import CabinetMirror
import ExampleSupport
import TerminalProgram

/// The user's lists and items, and those of lists that other users share, in a folder, a database or on a server.
struct ShoppingStore: Sendable {
    let container: Container

    /// The user's own lists and items.
    var database: Database { container.privateDatabase }

    /// The user's own lists.
    var listTable: Table<Lists> { database.table(Lists.self) }

    /// The user's own items.
    var itemTable: Table<Items> { database.table(Items.self) }

    /// Opens the store.
    ///
    /// The first save creates the folder, or the tables.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - server: A server that the store mirrors; `nil` for none.
    ///   - syncs: Whether the mirror fetches and sends by itself.
    init(_ store: StoreLocation, mirroring server: RemoteURL? = nil, syncs: Bool = true) throws(ShoppingError) {
        do {
            var configuration = MirrorConfiguration()
            configuration.automaticallySyncs = syncs
            container = try Container(
                "com.example.shopping-list", at: store, schema: "shopping_list", mirroring: server,
                configuration: configuration)
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

package import Cabinet
package import CabinetMirror
import CabinetPostgres
import CabinetRemote
import CabinetSQLite
package import TerminalProgram

extension Container {
    /// Opens an app's container where a person keeps it: in a folder, in PostgreSQL, or on a server.
    ///
    /// The first save creates the folder, or the tables.
    ///
    /// - Parameters:
    ///   - identifier: The app's container.
    ///   - location: The store.
    ///   - schema: The schema of the tables in PostgreSQL.
    ///   - server: A server that the store mirrors; `nil` for none.
    ///   - configuration: The conflicts and the work of the mirror.
    package init(
        _ identifier: String, at location: StoreLocation, schema: String, mirroring server: RemoteURL? = nil,
        configuration: MirrorConfiguration = MirrorConfiguration()
    ) throws {
        let backend: any StorageBackend
        switch location {
        case .folder(let folder): backend = SQLiteBackend(directory: folder)
        case .server(let server):
            backend = try PostgresBackend(connection: server.text, configuration: PostgresConfiguration(schema: schema))
        case .remote where server != nil, .cloudKit where server != nil:
            throw CommandError.usage("--mirror names the server, and --store a folder or a PostgreSQL database.")
        case .remote(let server):
            try self.init(identifier: identifier, server: server.url, credentials: Credentials())
            return
        case .cloudKit(let server):
            try self.init(
                identifier: "iCloud.\(identifier)", server: server.map { .cloudKit($0.url) } ?? .iCloud,
                credentials: CloudKitCredentials())
            return
        }
        guard let server else {
            try self.init(identifier: identifier, backend: backend)
            return
        }
        var waiting = RemoteConfiguration()
        // Without a network, a person waits no longer than this.
        waiting.retryTimeLimit = .seconds(2)
        let remote = try Container(
            identifier: identifier, server: server.url, credentials: Credentials(), configuration: waiting)
        try self.init(mirroring: remote, in: backend, configuration: configuration)
    }
}

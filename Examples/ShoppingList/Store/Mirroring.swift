import Cabinet
import CabinetMirror
import CabinetPostgres
import CabinetRemote
import CabinetSQLite
import Foundation
import TerminalProgram

extension Container {
    /// Creates a container that works without a network, and mirrors the app's container on a server.
    ///
    /// - Parameters:
    ///   - server: The server, whose user the environment names.
    ///   - identifier: The app's container.
    ///   - backend: The local store.
    ///   - syncs: Whether it fetches and sends by itself, for as long as the program runs.
    init(
        mirroring server: RemoteURL, _ identifier: String, in backend: any StorageBackend, syncs: Bool
    ) throws {
        var waiting = RemoteConfiguration()
        // Without a network, a person waits no longer than this.
        waiting.retryTime = .seconds(2)
        let remote = try Container(
            identifier: identifier, server: server.url, credentials: Credentials(), configuration: waiting)
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = syncs
        try self.init(mirroring: remote, in: backend, configuration: configuration)
    }

    /// Fetches from the mirrored server and sends to it, as far as it can be reached.
    ///
    /// - Returns: A sentence for a person about changes that are set aside or a server that was not reached; `nil` for neither.
    func exchange() async -> String? {
        guard let mirror else { return nil }
        do {
            try await mirror.fetchChanges()
            try await mirror.sendChanges()
            guard case .setAside = mirror.status else { return nil }
            return "\(mirror.status). To see why: cabinet mirror pending"
        } catch CabinetError.Code.operationCancelled {
            // Another program fetches and sends for the store.
            return nil
        } catch {
            return "The server was not reached. The store is used without it. \(error.localizedDescription)"
        }
    }
}

extension StoreLocation {
    /// The local store of a mirror.
    func localStore(schema: String) throws -> any StorageBackend {
        switch self {
        case .folder(let folder): SQLiteBackend(directory: folder)
        case .server(let server):
            try PostgresBackend(connection: server.text, configuration: PostgresConfiguration(schema: schema))
        case .remote, .cloudKit:
            throw CommandError.usage("--mirror names the server, and --store a folder or a PostgreSQL database.")
        }
    }
}

extension FullScreen {
    /// Shows the status of a mirror at the bottom of the pages, until the task is cancelled.
    func follow(_ mirror: MirrorDatabaseService?) -> Task<Void, Never>? {
        mirror.map { mirror in
            Task { for await status in mirror.statuses { footnote = "\(status)".printable } }
        }
    }
}

extension CabinetError {
    /// Whether the server was not reached.
    var isFailureOfNetwork: Bool {
        [.networkFailure, .networkUnavailable, .serviceUnavailable, .serverResponseLost].contains(code)
    }
}

import Cabinet
import CabinetRemote
import CabinetSQLite
import CabinetWire
import Foundation
import TerminalProgram

/// Containers on servers.
extension Invocation {
    /// The identifier of the requested container of a server.
    private func serverContainer() throws(CommandError) -> String {
        let environment = ProcessInfo.processInfo.environment
        guard let identifier = option(CLIOption.container) ?? environment["CABINET_CONTAINER"] else {
            throw .usage(
                "No container of the server is given. Use --container com.example.notes, or set CABINET_CONTAINER.")
        }
        try Self.checkContainer(identifier)
        return identifier
    }

    /// Throws if an argument or a file names a container in a way that is impossible.
    static func checkContainer(_ identifier: String) throws(CommandError) {
        do throws(CabinetError) {
            try NameRule.containerIdentifier.validate(identifier)
        } catch {
            throw .usage(error.message)
        }
    }

    /// Runs a closure with a store for the positions of imports into the requested server, and closes it.
    ///
    /// - Parameter work: Receives the store, and the name of the server's container; `nil` if the requested store has positions itself.
    func withImportPositions(
        _ work: ((backend: any StorageBackend, target: String)?) async throws -> Void
    ) async throws {
        guard case .remote(let server) = try location() else { return try await work(nil) }
        let target = "\(server) \(try serverContainer()) \(try isProduction() ? "production" : "development")"
        let backend = SQLiteBackend(directory: StoreFolder.state(for: "cabinet").appending(path: "imports"))
        try await closing(backend.close) { try await work((backend, target)) }
    }

    /// The file of credentials that the option names; `nil` for the credentials of the environment.
    ///
    /// - Throws: An error if it does not exist, or one that the environment names.
    func credentialsFile() throws(CommandError) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        let path = option(CLIOption.credentials) ?? environment["CABINET_CREDENTIALS"] ?? ""
        guard path.isEmpty || FileManager.default.fileExists(atPath: path) else {
            throw CommandError(.notFound, "There is no file of credentials \(path.printable).")
        }
        return option(CLIOption.credentials).map { URL(fileURLWithPath: $0) }
    }

    /// The commands whose requests CloudKit Web Services have.
    private static let cloudKitCommands: Set<String> = [
        "query", "get", "save", "edit", "delete", "zones", "zones add", "subscriptions", "changes", "assets get",
        "shell",
    ]

    /// Returns a container on a server of CloudKit Web Services.
    func container(on server: CloudKitServer) async throws -> Container {
        guard Self.cloudKitCommands.contains(command.name) else {
            throw CommandError.usage(
                "CloudKit Web Services have no request for '\(command.name)'. These commands work there: "
                    + Self.cloudKitCommands.sorted().joined(separator: ", "))
        }
        let (identifier, configuration) = (try serverContainer(), try remoteConfiguration())
        let environment: WireEnvironment = try isProduction() ? .production : .development
        let file = try credentialsFile()
        let credentials = try await (file.map { try CloudKitCredentials(contentsOf: $0) } ?? CloudKitCredentials())
            .identified(
                by: server, in: WireContainer(identifier: identifier, environment: environment), configuration)
        return try Container(
            identifier: identifier, server: server, credentials: credentials, environment: environment,
            configuration: configuration)
    }

    /// Returns the limits of waiting for a server, and checks that the options are those of a server.
    private func remoteConfiguration() throws(CommandError) -> RemoteConfiguration {
        for other in [CLIOption.account, CLIOption.roles, CLIOption.schemaName] where option(other) != nil {
            throw .usage(
                "\(other.name) is for a store itself. A server has its users, and finds them by their tokens.")
        }
        var configuration = RemoteConfiguration()
        configuration.allowsUnencrypted = hasFlag(CLIOption.allowUnencrypted)
        // A person waits, unless the command takes long anyway.
        if !["export", "import"].contains(command.name) { configuration.retryTimeLimit = .seconds(10) }
        return configuration
    }

    /// Returns a container on a server.
    func container(on server: RemoteURL) throws -> Container {
        let (identifier, configuration) = (try serverContainer(), try remoteConfiguration())
        let credentials =
            try credentialsFile().map { try Credentials(contentsOf: $0) } ?? Credentials()
        return try Container(
            identifier: identifier, server: server.url, credentials: credentials,
            environment: isProduction() ? .production : .development, configuration: configuration)
    }
}

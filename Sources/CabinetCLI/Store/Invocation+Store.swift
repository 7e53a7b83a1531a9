import Cabinet
import CabinetPostgres
import CabinetRemote
import CabinetSQLite
import CabinetTools
import CabinetWire
import Foundation
import TerminalProgram

extension Invocation {
    /// The location of a store; `nil` for the requested one.
    private func location(_ text: String? = nil) throws(CommandError) -> StoreLocation {
        if let text { return try StoreLocation(text) }
        if let text = arguments.options["--store"] { return try StoreLocation(text) }
        if let text = ProcessInfo.processInfo.environment["CABINET_STORE"], !text.isEmpty {
            return try StoreLocation(text)
        }
        throw .usage("No store is given. Use --store FOLDER, or set CABINET_STORE.")
    }

    /// Whether the requested store is behind a server, which decides about users, environments and limits.
    var isRemote: Bool {
        get throws(CommandError) {
            switch try location() {
            case .folder, .server: false
            case .remote, .cloudKit: true
            }
        }
    }

    /// Whether the requested store is behind a server of CloudKit Web Services, which has no requests for schemas.
    var isCloudKit: Bool {
        get throws(CommandError) { if case .cloudKit = try location() { true } else { false } }
    }

    /// The schema of a database; empty if the dialect of its server has no request for it.
    func knownSchema(of database: Database) async throws -> Schema {
        try isCloudKit ? Schema() : try await database.schema()
    }

    /// Throws if the requested store is behind a server, for a command that reads or writes more than records.
    func checkIsStore() throws(CommandError) { if try isRemote { throw needsStore() } }

    private func needsStore() -> CommandError {
        .usage(
            "'\(command.name)' works on a store itself, and --store names a server. Use the server's own store, on its machine."
        )
    }

    /// The requested store for display and for files: without credentials.
    var storeText: String { get throws { "\(try location())" } }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - text: The location; `nil` for the requested store.
    ///   - mustExist: Whether a missing folder is an error. Otherwise the first save creates it.
    ///   - schemaName: The schema of a store on PostgreSQL; `nil` for that of the arguments.
    func backend(
        at text: String? = nil, mustExist: Bool = true, schemaName: String? = nil
    ) throws -> any StorageBackend {
        switch try location(text) {
        case .folder(let folder):
            if mustExist { try Self.checkExists(folder) }
            // Otherwise, a long import would fill the larger cache that a program has. The system caches files too.
            return SQLiteBackend(directory: folder, configuration: SQLiteConfiguration(pageCacheSize: 8 << 20))
        case .server(let server):
            let schema = schemaName ?? option(CLIOption.schemaName) ?? "cabinet"
            return try PostgresBackend(connection: server.text, configuration: PostgresConfiguration(schema: schema))
        case .remote, .cloudKit: throw needsStore()
        }
    }

    private static func checkExists(_ folder: URL) throws(CommandError) {
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        throw CommandError(.notFound, "There is no store at \(folder.path.printable). Check --store and CABINET_STORE.")
    }

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
    private func container(on server: CloudKitServer) async throws -> Container {
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

    /// The folder of the requested store, for commands that work on its files.
    ///
    /// - Parameter advice: The way to do the same with a store on a server.
    func folder(orElse advice: String, mustExist: Bool = true) throws(CommandError) -> URL {
        try checkIsStore()
        guard case .folder(let folder) = try location() else { throw .usage("The store is on a server. \(advice)") }
        if mustExist { try Self.checkExists(folder) }
        return folder
    }

    func option(_ option: TerminalProgram.Option) -> String? { arguments.options[option.name] }

    func hasFlag(_ option: TerminalProgram.Option) -> Bool { arguments.flags.contains(option.name) }

    /// The scope of the requested database.
    func scope() throws(CommandError) -> DatabaseScope {
        switch option(CLIOption.database) {
        case nil, "private": return .private
        case "public": return .public
        case let other?: throw .usage("There is no database '\(other.printable)'. Use private or public.")
        }
    }

    /// The requested zone; `nil` if none is given.
    var zoneID: RecordZone.ID? { option(CLIOption.zone).map { RecordZone.ID(zoneName: $0) } }

    var account: Account {
        let roles = (option(CLIOption.roles) ?? "").split(separator: ",").map(String.init)
        return Account(
            userRecordName: option(CLIOption.account) ?? Account.default.userRecordName, roles: Set(roles))
    }

    /// Throws unless the user may read every record of a database, because the others would be left out without an error.
    func checkReadsAll(_ database: Database) async throws {
        guard database.databaseScope == .public,
            let name = try await database.schema().recordTypeHidden(from: account)
        else { return }
        throw CommandError(
            .failure,
            "The schema does not let this user read every record of \(name), so a file would lack the others. Use --roles "
                + "with a role that may read them, or copy the whole store: cabinet copy")
    }

    /// Runs a closure with a container of the requested store, and closes it.
    ///
    /// - Parameter writes: Whether the command may create the store.
    func withContainer(
        writes: Bool = false, at text: String? = nil, _ work: (Container) async throws -> Void
    ) async throws {
        let location = try location(text)
        do {
            switch location {
            case .folder, .server:
                return try await withBackend(writes: writes, at: text) { container, _ in try await work(container) }
            case .remote(let server): try await closing(try container(on: server), work)
            case .cloudKit(let server):
                try await closing(try await container(on: server.map { .cloudKit($0.url) } ?? .iCloud), work)
            }
        } catch let error as CabinetError where error.code == .notAuthenticated {
            let advice =
                if case .cloudKit = location {
                    "Give a server's key, or the tokens of a user: --credentials FILE."
                } else {
                    "On the server's machine: cabinet users sign-in NAME --to FILE. Then use --credentials FILE."
                }
            throw CommandError(.failure, "\(error.shown)\n\(advice)")
        } catch {
            throw CommandError(describing: error)
        }
    }

    /// Runs a closure with a container, and closes it.
    private func closing(_ container: Container, _ work: (Container) async throws -> Void) async throws {
        try await closing(container.close) { try await work(container) }
    }

    /// Runs a closure, and then one that closes what the first has used, also after an error.
    func closing<Result>(_ close: () async -> Void, _ work: () async throws -> Result) async throws -> Result {
        do {
            let result = try await work()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    /// Runs a closure with a container of the requested store and with the store itself, and closes them.
    ///
    /// - Parameters:
    ///   - writes: Whether the command may create the store.
    ///   - schemaName: The schema of a store on PostgreSQL; `nil` for that of the arguments.
    func withBackend(
        writes: Bool = false, at text: String? = nil, schemaName: String? = nil,
        _ work: (Container, any StorageBackend) async throws -> Void
    ) async throws {
        do {
            let backend = try backend(at: text, mustExist: !writes, schemaName: schemaName)
            let container = try Container(identifier: "cabinet", backend: backend, account: account)
            try await closing(container) { try await work($0, backend) }
        } catch {
            throw CommandError(describing: error)
        }
    }

    /// Runs a closure with the requested database, and closes its store.
    ///
    /// In the production environment, the store's own schema limits what a save may add.
    func withDatabase(writes: Bool = false, _ work: (Database) async throws -> Void) async throws {
        try await withStore(writes: writes) { _, database in try await work(database) }
    }

    /// Runs a closure with the requested store and database, and closes the store.
    ///
    /// In the store of a mirror, the changes of a command are pending: the next pass of the mirror sends them.
    func withStore(writes: Bool = false, _ work: (Container, Database) async throws -> Void) async throws {
        let scope = try scope()
        let isProduction = try isProduction()
        if try isRemote {
            return try await withContainer { container in
                do {
                    try await work(container, container.database(with: scope))
                } catch {
                    throw advised(error)
                }
            }
        }
        try await withBackend(writes: writes) { container, backend in
            let isMirror = writes ? try await backend.isMirror(of: account) : false
            if !isProduction, !isMirror { return try await work(container, container.database(with: scope)) }
            guard !isMirror || scope == .private else {
                throw CommandError.usage(
                    "The store is a mirror, and its public database is the server's. Change it there: --store https://HOST"
                )
            }
            let source = scope == .public ? DatabaseKey.public : .private(owner: account.userRecordName)
            let schema = isProduction ? SchemaMode.deployed(in: source) : .growing
            let service =
                isMirror
                ? try LocalDatabaseService(
                    mirrorIn: backend, of: .private, schema: schema, limits: .default,
                    changeRetention: ChangeRetention(), now: { Date() })
                : try LocalDatabaseService(backend: backend, schema: schema)
            do {
                try await closing(try container.over(service)) { try await work($0, $0.database(with: scope)) }
            } catch {
                throw describe(error)
            }
        }
    }

    /// Returns the error for a failed request, which names the command that adds what production lacks.
    func describe(_ error: any Error) -> CommandError { CommandError(describing: advised(error)) }

    /// Returns the error with the command that adds what production lacks, or another error unchanged.
    private func advised(_ error: any Error) -> any Error {
        guard let error = error as? CabinetError,
            error.isUndeclared || error.partialErrorsByItemID.values.contains(where: \.isUndeclared),
            (try? isProduction()) == true, let scope = try? scope()
        else { return error }
        // The schema of a server is that of the public database.
        let way =
            (try? isRemote) == true
            ? "as a user with the role 'administrators': cabinet schema deploy FILE --database public"
            : "cabinet schema deploy FILE --database \(scope)"
        return CommandError(.usage, "\(error.shown)\nTo add it to production: \(way)")
    }

    func isProduction() throws(CommandError) -> Bool {
        switch option(CLIOption.environment) {
        case nil, "development": return false
        case "production": return true
        case let other?: throw .usage("There is no environment '\(other.printable)'. Use development or production.")
        }
    }
}

extension CommandError {
    /// Returns the error for a failed request, with an exit code for scripts.
    init(describing error: any Error) {
        if let error = error as? CommandError {
            self = error
        } else if let error = error as? CabinetError {
            self.init(error.exitCode, error.shown)
        } else if error is CancellationError {
            self.init(.interrupted, "Stopped.")
        } else {
            self.init(.failure, (error as any Error).fileDescription)
        }
    }
}

extension CabinetError {
    /// The exit code for scripts; of a batch, the one that all failures have.
    fileprivate var exitCode: ExitCode {
        switch code {
        case .invalidArguments, .limitExceeded, .constraintViolation, .referenceViolation, .serverRejectedRequest:
            return .usage
        case .unknownItem, .zoneNotFound, .assetFileNotFound: return .notFound
        case .serverRecordChanged: return .conflict
        case .operationCancelled: return .interrupted
        case .partialFailure:
            let causes = partialErrorsByItemID.values.filter { $0.code != .batchRequestFailed }
            let codes = Set(causes.map(\.exitCode))
            return codes.count == 1 ? codes.first ?? .failure : .failure
        default: return .failure
        }
    }

    /// The message with the failures of single items, for a terminal.
    var shown: String {
        // The message of a batch repeats that of its only item.
        if partialErrorsByItemID.count == 1, let only = partialErrorsByItemID.values.first { return only.shown }
        let items = partialErrorsByItemID.sorted { $0.key.description < $1.key.description }
        let lines = items.prefix(5).map { "  \($0.key): \($0.value.errorDescription ?? "")" }
        let rest = items.count > 5 ? ["  and \(items.count - 5) more"] : []
        // A message of several lines points to a position in a text, so it keeps its lines.
        var text = message.contains("\n") ? message : errorDescription ?? "\(code)"
        if code == .zoneNotFound { text += "\nTo add a zone: cabinet zones add NAME" }
        return ([text] + lines + rest).joined(separator: "\n")
    }
}

import Cabinet
import CabinetPostgres
import CabinetRemote
import CabinetSQLite
import CabinetTools
import Foundation
import TerminalProgram

extension Invocation {
    /// The schema of a database; empty if the dialect of its server has no request for it.
    func knownSchema(of database: Database) async throws -> Schema {
        try isCloudKit ? Schema() : try await database.schema()
    }

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
    func closing(_ container: Container, _ work: (Container) async throws -> Void) async throws {
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
            let source = scope == .public ? DatabaseKey.public : .private(owner: account.userRecordName)
            let schema = isProduction ? SchemaMode.deployed(in: source) : .growing
            let service =
                isMirror
                ? try mirrorService(in: backend, schema: schema)
                : try LocalDatabaseService(backend: backend, schema: schema)
            do {
                try await closing(container.over(service)) { try await work($0, $0.database(with: scope)) }
            } catch {
                throw describe(error)
            }
        }
    }

    /// Returns the service for changes in the store of a mirror, which are pending until its next pass.
    func mirrorService(in backend: any StorageBackend, schema: SchemaMode = .growing) throws -> LocalDatabaseService {
        guard try scope() == .private else {
            throw CommandError.usage(
                "The store is a mirror, and its public database is the server's. Change it there: --store https://HOST")
        }
        return try LocalDatabaseService(
            mirrorIn: backend, of: .private, schema: schema, limits: .default, changeRetention: ChangeRetention(),
            now: { Date() })
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

import Cabinet
import CabinetListener
import CabinetServer
import CabinetWire
import Foundation
import TerminalProgram

/// The arguments and the file of `cabinet serve`.
struct ServeConfiguration {
    /// A container and its store.
    struct Served {
        let container: WireContainer
        /// The store; `nil` for that of `--store`.
        let store: String?
        /// The schema of a store on PostgreSQL.
        let schemaName: String?
        /// The URL by which a program opens a share, with `{guid}`.
        var programURL: String?
    }

    var addresses: [HTTPAddress] = []
    var tls: HTTPListener.TLS?
    var served: [Served] = []
    var server = RecordServer.Configuration()
    var connections = HTTPLimits()
    var webTokens: WebTokens?
    /// Whether the server has the dashboard in a browser, for its operators.
    var hasDashboard = false

    /// The identity provider whose tokens the server takes.
    struct WebTokens {
        let configuration: JSONWebTokenAuthenticator.Configuration
        let file: URL

        /// Reads the provider's keys.
        func keys() throws -> JSONWebKeySet {
            do {
                return try JSONWebKeySet(Invocation.data(at: file.path))
            } catch let error as CabinetError {
                throw CommandError(.failure, "\(file.path.printable) has no keys: \(error.message.printable)")
            }
        }
    }

    /// Reads the arguments of `cabinet serve`.
    init(_ invocation: Invocation) throws {
        var container = invocation.option(CLIOption.container)
        // A configuration file says itself which containers it serves.
        if container == nil, invocation.option(CLIOption.configuration) == nil {
            container = ProcessInfo.processInfo.environment["CABINET_CONTAINER"].flatMap { $0.isEmpty ? nil : $0 }
        }
        try self.init(invocation, container: container)
    }

    /// Reads the file that the arguments name.
    ///
    /// - Parameter container: A further container, which is served from the store of the arguments.
    init(_ invocation: Invocation, container: String?) throws {
        if let path = invocation.option(CLIOption.configuration) {
            try read(URL(filePath: path))
        }
        hasDashboard = invocation.hasFlag(CLIOption.dashboard)
        if let identifier = container {
            let environment = invocation.option(CLIOption.environment) ?? WireEnvironment.development.rawValue
            served.append(try Self.served(identifier, environment, nil, nil))
        }
        guard !served.isEmpty else {
            throw CommandError.usage(
                "No container is given. Use --container com.example.notes or CABINET_CONTAINER, or --config FILE.")
        }
        do {
            server.sharedContainers = try served.map { try SharedContainer($0.container, programURL: $0.programURL) }
        } catch let error as CabinetError {
            throw CommandError.usage(error.message)
        }
        let texts = invocation.option(CLIOption.listen).map { [$0] } ?? (addresses.isEmpty ? ["127.0.0.1:8080"] : [])
        if !texts.isEmpty { addresses = try texts.map(Self.address) }
    }

    /// Returns the only container, or the one of an identifier and an environment; those of one identifier may share a store.
    func store(of identifier: String?, isProduction: Bool?) throws(CommandError) -> Served {
        let found = served.filter { item in
            let isAsked = isProduction.map { $0 == (item.container.environment == .production) } ?? true
            return isAsked && (identifier.map { $0 == item.container.identifier } ?? true)
        }
        guard let first = found.first else {
            let name = identifier.map { "'\($0.printable)' " } ?? ""
            throw .usage("The configuration serves no container \(name)in that environment.")
        }
        guard found.allSatisfy({ $0.store == first.store && $0.schemaName == first.schemaName }) else {
            throw .usage("The configuration has several stores. Name one: --container ID, and --environment NAME.")
        }
        return first
    }

    static func address(_ text: String) throws -> HTTPAddress {
        do {
            return try HTTPAddress(text)
        } catch let error as HTTPError {
            throw CommandError.usage(error.message)
        }
    }

    static func served(
        _ identifier: String, _ environment: String, _ store: String?, _ schemaName: String?
    ) throws -> Served {
        try Invocation.checkContainer(identifier)
        guard let environment = WireEnvironment(rawValue: environment) else {
            throw CommandError.usage(
                "There is no environment '\(environment.printable)'. Use development or production.")
        }
        return Served(
            container: WireContainer(identifier: identifier, environment: environment), store: store,
            schemaName: schemaName)
    }
}

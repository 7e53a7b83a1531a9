public import Cabinet

/// A request of CloudKit Web Services, as its method and target name it.
///
/// The paths are `/database/1/{container}/{environment}/{database}/{operation}`, and for tokens also
/// `/device/1/{container}/{environment}/{operation}`, or that with `database`, as Apple's reference has it.
public struct CloudKitRoute: Sendable, Hashable {
    /// The operation.
    public var operation: CloudKitOperation
    /// The container and its environment.
    public var container: WireContainer
    /// The database; the private one if the path has none.
    public var scope: DatabaseScope

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - operation: The operation.
    ///   - container: The container and its environment.
    ///   - scope: The database.
    public init(_ operation: CloudKitOperation, in container: WireContainer, scope: DatabaseScope) {
        self.operation = operation
        self.container = container
        self.scope = scope
    }

    /// Finds the route of a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - target: The target.
    /// - Throws: ``RouteError``.
    public init(method: String, target: RequestTarget) throws(RouteError) {
        let path = target.path
        // An escaped slash does not separate the words of an operation.
        // Some clients write the environment in capitals.
        guard path.count > 4, path[1] == "1", let environment = WireEnvironment(rawValue: path[3].lowercased()),
            path[4...].allSatisfy({ !$0.contains("/") })
        else { throw .notFound }
        container = WireContainer(identifier: path[2], environment: environment)
        let tokens = CloudKitOperation(rawValue: path[4...].joined(separator: "/"))
        if let tokens, [.tokensCreate, .tokensRegister].contains(tokens), Self.owns(path) {
            (scope, operation) = (.private, tokens)
        } else if path[0] == "database", let scope = DatabaseScope.allCases.first(where: { $0.segment == path[4] }),
            let operation = CloudKitOperation(rawValue: path[5...].joined(separator: "/"))
        {
            (self.scope, self.operation) = (scope, operation)
        } else {
            throw .notFound
        }
        guard operation.methods.contains(method) else { throw .methodNotAllowed(allowed: operation.methods) }
    }

    /// The target of the route.
    public var target: RequestTarget {
        let parts = operation.rawValue.split(separator: "/").map(String.init)
        let isToken = operation.rawValue.hasPrefix("tokens/")
        return RequestTarget(
            path: [isToken ? "device" : "database", "1", container.identifier, container.environment.rawValue]
                + (isToken ? [] : [scope.segment]) + parts)
    }

    /// Whether a path belongs to this dialect, so that an error is answered in it.
    ///
    /// - Parameter path: The segments of a path.
    public static func owns(_ path: [String]) -> Bool { path.first == "database" || path.first == "device" }
}

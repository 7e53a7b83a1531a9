/// The environment of a container, a segment of every path.
public enum WireEnvironment: String, Sendable, Hashable, CaseIterable {
    /// The environment in which saves extend the schema.
    case development
    /// The environment of deployed programs.
    case production
}

/// A container in one of its environments.
public struct WireContainer: Sendable, Hashable {
    /// The container's identifier.
    public var identifier: String
    /// The environment.
    public var environment: WireEnvironment

    /// Creates a container in an environment.
    ///
    /// - Parameters:
    ///   - identifier: The container's identifier.
    ///   - environment: The environment.
    public init(identifier: String, environment: WireEnvironment) {
        (self.identifier, self.environment) = (identifier, environment)
    }
}

/// The reason why a request has no route, with its HTTP status.
public enum RouteError: Error, Sendable, Hashable {
    /// No route has the path.
    case notFound
    /// The path has a route, for other methods.
    case methodNotAllowed(allowed: [String])
    /// The path has a route, and a part of it or of the query is malformed.
    case malformed(String)

    /// The HTTP status of the response.
    public var status: Int {
        switch self {
        case .notFound: 404
        case .methodNotAllowed: 405
        case .malformed: 400
        }
    }
}

public import Cabinet
public import Foundation

/// A request of Cabinet's own dialect, as its method and target name it.
///
/// ```swift
/// let target = try RequestTarget("/cabinet/1/com.example/production/fetchZones")
/// let route = try CabinetRoute(method: "POST", target: target)
/// // .request("fetchZones", in: …)
/// ```
///
/// | Method and path | Route |
/// |---|---|
/// | `GET /cabinet/1` | ``description`` |
/// | `POST /cabinet/1/{container}/{environment}/{request}` | ``request(_:in:)`` |
/// | `PUT …/uploads/{upload}?offset=` | ``send(to:at:in:)`` |
/// | `GET …/assets/{asset}?scope=&record=&zone=&owner=&from=&to=` | ``bytes(_:in:)`` |
/// | `GET …/signals?scope=` | ``signals(_:in:)`` |
public enum CabinetRoute: Sendable, Hashable {
    /// The server's version, limits and abilities: a ``ServerDescription``.
    case description
    /// A coded request, by its name.
    case request(String, in: WireContainer)
    /// The body is appended to an upload, at an offset.
    case send(to: UUID, at: Int64, in: WireContainer)
    /// Bytes of an asset.
    case bytes(AssetRange, in: WireContainer)
    /// A stream of signals of databases.
    case signals([DatabaseScope], in: WireContainer)

    /// The HTTP method of the route.
    public var method: String {
        switch self {
        case .description, .bytes, .signals: "GET"
        case .request: "POST"
        case .send: "PUT"
        }
    }

    /// The target of the route.
    public var target: RequestTarget {
        func target(_ container: WireContainer, _ path: [String], _ query: [RequestTarget.Item] = []) -> RequestTarget {
            RequestTarget(
                path: Self.root + [container.identifier, container.environment.rawValue] + path, query: query)
        }
        return switch self {
        case .description: RequestTarget(path: Self.root)
        case .request(let name, let container): target(container, [name])
        case .send(let upload, let offset, let container):
            target(container, ["uploads", upload.uuidString], [.init(name: "offset", value: "\(offset)")])
        case .bytes(let range, let container): target(container, ["assets", range.asset.description], range.query)
        case .signals(let scopes, let container):
            target(container, ["signals"], scopes.map { .init(name: "scope", value: $0.segment) })
        }
    }

    /// Whether a path belongs to this dialect, so that an error is answered in it.
    ///
    /// - Parameter path: The segments of a path.
    public static func owns(_ path: [String]) -> Bool { path.first == root[0] }

    private static let root = ["cabinet", "\(ServerDescription.version)"]

    /// Finds the route of a request.
    ///
    /// - Parameters:
    ///   - method: The HTTP method.
    ///   - target: The target.
    /// - Throws: ``RouteError``.
    public init(method: String, target: RequestTarget) throws(RouteError) {
        let path = target.path
        guard path.starts(with: Self.root) else { throw .notFound }
        if path.count == 2 {
            self = .description
        } else {
            guard path.count > 4, let environment = WireEnvironment(rawValue: path[3]) else { throw .notFound }
            let container = WireContainer(identifier: path[2], environment: environment)
            switch (path[4], path.count) {
            case ("uploads", 6):
                guard let upload = UUID(uuidString: path[5]) else { throw .malformed("The upload's ID is not a UUID.") }
                self = .send(to: upload, at: try AssetRange.offset("offset", in: target), in: container)
            case ("assets", 6): self = .bytes(try AssetRange(path[5], target), in: container)
            case ("signals", 5):
                let scopes = try target.values("scope").map { text throws(RouteError) in
                    try DatabaseScope(segment: text)
                }
                guard !scopes.isEmpty else { throw .malformed("The query needs 'scope'.") }
                self = .signals(scopes, in: container)
            case (let name, 5) where RequestCatalog.effect(of: name) != nil: self = .request(name, in: container)
            default: throw .notFound
            }
        }
        if method != self.method { throw .methodNotAllowed(allowed: [self.method]) }
    }
}

extension DatabaseScope {
    /// The segment of a path that names the database: `public`, `private` or `shared`.
    public var segment: String {
        // The name of the case, without reflection, which each request would pay for.
        switch self {
        case .public: "public"
        case .private: "private"
        case .shared: "shared"
        }
    }

    /// Creates a scope from a segment of a path.
    ///
    /// - Throws: ``RouteError/malformed(_:)`` if the segment is not a scope.
    init(segment: String) throws(RouteError) {
        guard let scope = Self.allCases.first(where: { $0.segment == segment }) else {
            throw .malformed("'\(segment.prefix(255))' is not a database. Use public, private or shared.")
        }
        self = scope
    }
}

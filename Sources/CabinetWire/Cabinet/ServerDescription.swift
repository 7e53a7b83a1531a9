public import Cabinet

/// The answer to `GET /cabinet/1`: the version of the dialect, the server's limits, and its abilities.
///
/// A client reads the parts that it knows, and ignores the others, so that a later server can add some.
public struct ServerDescription: Sendable, Hashable {
    /// The version of the dialect, which also stands in the paths.
    public static let version = 1

    /// The version of the dialect that the server speaks.
    public var version = Self.version
    /// The maximum number of bytes in the body of a request.
    public var maximumBodySize: Int
    /// The maximum number of bytes in one part of an asset.
    public var maximumPartSize: Int
    /// The names of the abilities that not every server has, such as `signals`.
    public var abilities: Set<String>
    /// The names of the requests that the server answers.
    public var requests: Set<String>

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - maximumBodySize: The maximum number of bytes in the body of a request.
    ///   - maximumPartSize: The maximum number of bytes in one part of an asset.
    ///   - abilities: The names of the abilities that not every server has.
    ///   - requests: The names of the requests that the server answers.
    public init(
        maximumBodySize: Int, maximumPartSize: Int = 1 << 20, abilities: Set<String> = [],
        requests: Set<String> = Set(RequestCatalog.names)
    ) {
        self.maximumBodySize = maximumBodySize
        self.maximumPartSize = maximumPartSize
        self.abilities = abilities
        self.requests = requests
    }

    /// Reads a description from JSON.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the text is not a description.
    public init(json: [UInt8]) throws(CabinetError) {
        let root = try JSONText(json).root
        let limits = try root.required("limits")
        func limit(_ key: StaticString) throws(CabinetError) -> Int {
            let node = try limits.required(key)
            guard let number = Int(exactly: try node.int64()), number > 0 else {
                throw node.error(expected: "a positive number")
            }
            return number
        }
        maximumBodySize = try limit("bodySize")
        maximumPartSize = try limit("partSize")
        version = Int(clamping: try root.required("version").int64())
        abilities = Set(try root.required("abilities").strings())
        requests = Set(try root.required("requests").strings())
    }

    /// Returns the description as JSON.
    ///
    /// - Throws: Nothing that a caller could cause.
    public func json() throws(CabinetError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.object { writer throws(CabinetError) in
            writer.member("version", Int64(version))
            writer.key("limits")
            try writer.object { writer throws(CabinetError) in
                writer.member("bodySize", Int64(maximumBodySize))
                writer.member("partSize", Int64(maximumPartSize))
            }
            try writer.member("abilities", abilities.sorted())
            try writer.member("requests", requests.sorted())
        }
        return writer.bytes
    }
}

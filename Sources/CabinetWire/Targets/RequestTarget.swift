public import Cabinet

/// The path and the query of an HTTP request's target, decoded once.
///
/// ```swift
/// let target = try RequestTarget("/cabinet/1/c/production/signals?scope=public")
/// target.path      // ["cabinet", "1", "c", "production", "signals"]
/// target["scope"]  // "public"
/// ```
///
/// Reading is strict: a target that two readers could understand in two ways is refused, such as one with `..` or with an
/// escape of a control character.
public struct RequestTarget: Sendable, Hashable {
    /// The segments of the path.
    public var path: [String]

    /// The items of the query, in their order.
    public var query: [Item]

    /// A name and a value of the query.
    public struct Item: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value; empty if the item has none.
        public var value: String

        /// Creates an item.
        public init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// Creates a target from its parts.
    ///
    /// - Parameters:
    ///   - path: The segments of the path.
    ///   - query: The items of the query.
    public init(path: [String], query: [Item] = []) {
        (self.path, self.query) = (path, query)
    }

    /// Reads the target of a request line.
    ///
    /// - Parameter text: The target, which begins with a slash.
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if an escape is malformed, or decodes to a control character or
    ///   to bytes that are not UTF-8, or if a segment of the path is empty, `.` or `..`.
    public init(_ text: String) throws(CabinetError) {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") })
        else { throw Self.malformed("expected a path that begins with '/', in printable ASCII characters") }
        let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        path =
            mark == 1
            ? []
            : try bytes[1..<mark].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
                part throws(CabinetError) in
                let segment = try PercentCoding.decoded(part)
                guard !segment.isEmpty, segment != ".", segment != ".." else {
                    throw Self.malformed("a segment of the path is empty, or has dots alone")
                }
                return segment
            }
        query = []
        for part in bytes[mark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            query.append(
                Item(
                    name: try PercentCoding.decoded(sides[0]),
                    value: sides.count > 1 ? try PercentCoding.decoded(sides[1]) : ""))
        }
    }

    /// The value of the first item of the query with a name.
    public subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// Returns the values of all items of the query with a name.
    public func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    static func malformed(_ reason: String) -> CabinetError {
        CabinetError(.invalidArguments, "The target of the request is not valid: \(reason).")
    }
}

extension RequestTarget: CustomStringConvertible {
    /// The target as it stands in a request line, with everything escaped that has a meaning there.
    public var description: String {
        let path = path.map { "/" + PercentCoding.encoded($0) }.joined()
        let items = query.map { "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))" }
        return items.isEmpty ? path : "\(path)?\(items.joined(separator: "&"))"
    }
}

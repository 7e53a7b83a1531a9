/// A key to sort a query's records by.
///
/// ```swift
/// let query = Query(
///     recordType: "Items", sortedBy: ["list.name", .descending("number")])
/// ```
///
/// Nil comes first in ascending order, and last in descending order. Text is ordered by Unicode scalars unless options
/// say otherwise, references by record name, bytes byte by byte. Records whose keys are all equal are in the order of
/// their first saves, in both directions. See <doc:SortingAndCounting>.
public struct Sort: Sendable, Hashable {
    /// The field, system field, or key path through single references, to sort by.
    public let key: Record.FieldKey

    /// Whether smaller values come first.
    public let ascending: Bool

    /// The options for the order of text.
    public let options: Options

    /// The location from which distances are measured, if the records are sorted by distance.
    public let origin: Location?

    /// Creates a sort key.
    ///
    /// - Parameters:
    ///   - key: A field of the queried type, a system field such as `creationDate`, or a key path such as `list.name`.
    ///   - ascending: Whether smaller values come first.
    ///   - options: The options for the order of text. The default compares text exactly. Values of other types ignore
    ///     them.
    public init(_ key: Record.FieldKey, ascending: Bool = true, options: Options = []) {
        self.key = key
        self.ascending = ascending
        self.options = options
        origin = nil
    }

    /// Creates a sort key for the distance between the location in a field and another location.
    ///
    /// - Parameters:
    ///   - key: A field that holds locations.
    ///   - origin: The location to measure from.
    ///   - ascending: Whether nearer locations come first.
    public init(_ key: Record.FieldKey, distanceFrom origin: Location, ascending: Bool = true) {
        self.key = key
        self.ascending = ascending
        options = []
        self.origin = origin
    }
}

extension Sort: ExpressibleByStringLiteral {
    /// Creates an ascending sort key: `sortedBy: ["name"]`.
    ///
    /// - Parameter value: A field of the queried type, a system field, or a key path.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Creates a descending sort key: `sortedBy: ["name", .descending("date")]`.
    ///
    /// - Parameters:
    ///   - key: A field of the queried type, a system field such as `creationDate`, or a key path such as `list.name`.
    ///   - options: The options for the order of text. The default compares text exactly.
    public static func descending(_ key: Record.FieldKey, options: Options = []) -> Sort {
        Sort(key, ascending: false, options: options)
    }
}

extension Sort {
    /// Options for the order of text.
    public struct Options: OptionSet, Sendable, Hashable, Codable {
        /// The options as bits.
        public let rawValue: Int

        /// Creates options from bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Ignores the case of letters; see ``Filter/Options/caseInsensitive``.
        public static let caseInsensitive = Options(rawValue: 1)

        /// Ignores accents; see ``Filter/Options/diacriticInsensitive``.
        public static let diacriticInsensitive = Options(rawValue: 2)

        /// Orders runs of the digits 0 to 9 as numbers: `file 9` before `file 10`.
        public static let numeric = Options(rawValue: 4)
    }
}

/// Absent properties are not coded, so that data from versions without options can be read.
extension Sort: Codable {
    private enum CodingKeys: String, CodingKey {
        case key
        case ascending
        case options
        case origin
    }

    /// Decodes a sort key.
    ///
    /// - Throws: `DecodingError` if the data is not a sort key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        key = try container.decode(Record.FieldKey.self, forKey: .key)
        ascending = try container.decode(Bool.self, forKey: .ascending)
        options = try container.decodeIfPresent(Options.self, forKey: .options) ?? []
        origin = try container.decodeIfPresent(Location.self, forKey: .origin)
    }

    /// Encodes the sort key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(key, forKey: .key)
        try container.encode(ascending, forKey: .ascending)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
        try container.encodeIfPresent(origin, forKey: .origin)
    }
}

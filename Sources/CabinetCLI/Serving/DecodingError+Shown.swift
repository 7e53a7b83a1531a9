extension DecodingError {
    /// The mistake in a file of JSON, for a person: the value, and what was expected.
    var shown: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.path(context.codingPath + [key])) is missing."
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            "\(Self.path(context.codingPath)) is not \(Self.name(of: type))."
        case .dataCorrupted: "A number is too large, or is not a whole one."
        @unknown default: "It is not as expected."
        }
    }

    /// The path of a value, such as `'containers[0].identifier'`.
    private static func path(_ keys: [any CodingKey]) -> String {
        let parts = keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
        return parts.isEmpty ? "Its value" : "'\(parts.drop { $0 == "." })'"
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any Numeric.Type: "a number"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}

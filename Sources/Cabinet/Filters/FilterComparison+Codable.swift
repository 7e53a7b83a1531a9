/// What a comparison does not have is not coded, so that data from before there were options and quantifiers is read.
extension Filter.Comparison: Codable {
    private enum CodingKeys: String, CodingKey {
        case left
        case `operator`
        case right
        case options
        case quantifier
    }

    /// Decodes a comparison.
    ///
    /// - Throws: `DecodingError` if the data is no comparison.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Filter.Expression.self, forKey: .left),
            try container.decode(Filter.Operator.self, forKey: .operator),
            try container.decode(Filter.Expression.self, forKey: .right),
            options: try container.decodeIfPresent(Filter.Options.self, forKey: .options) ?? [],
            quantifier: try container.decodeIfPresent(Filter.Quantifier.self, forKey: .quantifier) ?? .single)
    }

    /// Encodes the comparison.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(left, forKey: .left)
        try container.encode(`operator`, forKey: .operator)
        try container.encode(right, forKey: .right)
        if !options.isEmpty { try container.encode(options, forKey: .options) }
        if quantifier != .single { try container.encode(quantifier, forKey: .quantifier) }
    }
}

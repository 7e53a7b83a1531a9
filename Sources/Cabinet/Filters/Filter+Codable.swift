/// A filter is coded as one string, its description: `"number > 3 AND list == CAST('groceries', 'REFERENCE')"`.
extension Filter {
    /// Decodes a filter.
    ///
    /// - Throws: `DecodingError` if the data is not a filter, with the parser's ``CabinetError`` as the underlying error.
    /// - Complexity: O(*n*) in the length of the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(format: text, arguments: [])
        } catch let error as CabinetError {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }

    /// Encodes the filter as its text.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter has no text. Such a filter is deeper than
    ///   ``maximumDepth``, has a malformed key path, or compares with a value that no field can hold, or with an asset
    ///   that is a file of the program. Also the encoder's errors.
    /// - Complexity: O(*n*) in the size of the filter.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(try text())
    }

    /// Returns the text that parses back to the same filter.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a part of the filter has no text, or it is too deep.
    func text() throws(CabinetError) -> String {
        try validateDepth()
        try validateText()
        return description
    }

    /// Checks that the description of every comparison parses.
    fileprivate func validateText() throws(CabinetError) {
        try forEachComparison { comparison throws(CabinetError) in try comparison.validateText() }
    }
}

extension Filter.Comparison {
    /// Checks that the comparison's description parses.
    fileprivate func validateText() throws(CabinetError) {
        let isSearch = left == .searchableText && `operator`.findsWords
        var operands = isSearch ? [right] : [left, right]
        while let operand = operands.popLast() {
            if let message = operand.syntaxError { throw error(message) }
            if case .referring(_, _, let filter) = operand { try filter.validateText() }
            operands += operand.operands
        }
    }
}

extension Filter.Expression {
    /// The reason why the operand itself has no text, apart from its own operands, or `nil` if it has one.
    fileprivate var syntaxError: String? {
        switch self {
        case .field(let path):
            FilterKeyPath.syntaxError(FilterKeyPath.steps(of: path)).map { "The key path '\(path)' \($0)." }
        case .member(_, let path):
            FilterKeyPath.syntaxError(FilterKeyPath.steps(of: path), isContinued: true).map {
                "The key path '\(path)' \($0)."
            }
        case .constant(let value?):
            value.isWritable
                ? nil : "An asset that was not saved has no text; compare with the asset of a saved record."
        case .referring(let type, let field, _):
            FilterKeyPath.isName(type) && !field.isEmpty && !FieldPath.isLong(field)
                ? nil : "'\(type).\(field)' is not a record type and one of its fields."
        case .searchableText, .unstorable: refusal
        default: nil
        }
    }
}

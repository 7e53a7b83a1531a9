/// The arguments of a format string, taken one after the other.
struct FilterArguments {
    private let values: [(any FilterArgument)?]
    private var taken = 0

    init(_ values: [(any FilterArgument)?]) {
        self.values = values
    }

    /// The number of arguments that no specifier has taken.
    var remaining: Int { values.count - taken }

    /// The operand that a specifier stands for: the next argument, bound and never pasted as text.
    mutating func next(for specifier: FilterSpecifier, at offset: Int) throws(FilterSyntaxError) -> Filter.Expression {
        guard taken < values.count else {
            throw FilterSyntaxError(
                at: offset,
                "there is no argument for this \(specifier.spelling); the format was given \(Self.count(values.count))."
            )
        }
        let argument = values[taken]
        taken += 1
        let expression = Filter.Expression(argument)
        if case .unstorable(let text) = expression {
            throw FilterSyntaxError(at: offset, "argument \(taken) is \(text), which no field can hold.")
        }
        switch (specifier, argument?.filterValue) {
        case (.value, _):
            return expression
        case (.key, .string(let name)?):
            if name.isEmpty { throw FilterSyntaxError(at: offset, "argument \(taken) is an empty name.") }
            if let message = FilterKeyPath.syntaxError(FilterKeyPath.steps(of: name)) {
                throw FilterSyntaxError(
                    at: offset, "argument \(taken), \(Filter.Expression(argument).abbreviated), \(message).")
            }
            return .field(name)
        case (.integer, .int64?), (.number, .double?):
            return expression
        case (.number, .int64(let number)?):
            // Numbers compare by value: one that would be rounded stays what it is.
            return .constant(Double(exactly: number).map(FieldValue.double) ?? .int64(number))
        case (.key, _):
            throw mismatch(argument, specifier, "the name of a field or a key path, as text", at: offset)
        case (.integer, _):
            throw mismatch(
                argument, specifier, "a whole number; write %f for a fraction, or %@ for any value", at: offset)
        case (.number, _):
            throw mismatch(argument, specifier, "a number; write %@ for any value", at: offset)
        }
    }

    private func mismatch(
        _ argument: (any FilterArgument)?, _ specifier: FilterSpecifier, _ expectation: String, at offset: Int
    ) -> FilterSyntaxError {
        let shown = argument.map { "\(Filter.Expression($0).abbreviated) (\(type(of: $0)))" } ?? "nil"
        return FilterSyntaxError(
            at: offset, "argument \(taken) is \(shown); \(specifier.spelling) takes \(expectation).")
    }

    /// `no argument`, `1 argument`, `2 arguments`.
    static func count(_ number: Int) -> String {
        number == 0 ? "no argument" : number.counted("argument")
    }
}

import Cabinet

/// Arithmetic that differs in SQL: 5 / 2 is 2 there, and not every SQLite has powers.
extension SQLFunction {
    static let numbers = [
        SQLFunction("cabinet_divide", 2) { arguments in try result(.dividedBy, arguments) },
        SQLFunction("cabinet_power", 2) { arguments in try result(.toThePower, arguments) },
    ]

    private static func result(_ operation: Filter.Arithmetic, _ arguments: SQLArguments) throws -> SQLValue? {
        // An operand that is not a number was stored by hand, and counts as NULL.
        try operation.result(of: arguments.number(0), and: arguments.number(1))?.sqlValue
    }
}

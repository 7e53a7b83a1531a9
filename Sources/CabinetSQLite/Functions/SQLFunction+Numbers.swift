import Cabinet

/// Functions for the arithmetic that SQL does otherwise: 5 / 2 is 2 there, and not every SQLite has powers.
extension SQLFunction {
    static let numbers = [
        SQLFunction("cabinet_divide", 2) { arguments in try result(.dividedBy, arguments) },
        SQLFunction("cabinet_power", 2) { arguments in try result(.toThePower, arguments) },
    ]

    private static func result(_ operation: Filter.Arithmetic, _ arguments: SQLArguments) throws -> SQLValue? {
        // What is no number was put there by hand, and is nothing.
        try operation.result(of: arguments.number(0), and: arguments.number(1))?.sqlValue
    }
}

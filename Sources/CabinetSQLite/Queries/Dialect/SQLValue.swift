import Cabinet
import Foundation
import SQLSupport

/// A value that is bound to a parameter.
enum SQLValue: SQLParameter {
    case text(String)
    case integer(Int64)
    case double(Double)
    case bytes(Data)

    static func stored(_ text: String) -> SQLValue { .text(text) }
}

extension FieldValue {
    /// The value as a column holds it; `nil` for values that SQL does not compare.
    var sqlValue: SQLValue? { SQLValue(self) }
}

extension SQLBuilder {
    /// Binds the values that the statement uses.
    ///
    /// A condition may not need its values in the end.
    func bind(to statement: Statement) throws {
        for (index, value) in values.prefix(statement.parameterCount).enumerated() {
            let position = Int32(index + 1)
            switch value {
            case .text(let text): try statement.bind(text, at: position)
            case .integer(let number): try statement.bind(number, at: position)
            case .double(let number): try statement.bind(number, at: position)
            case .bytes(let data): try statement.bind(data, at: position)
            }
        }
    }
}

import Cabinet
import Foundation
import SQLSupport

/// A value that is bound to a parameter.
enum SQLValue: Sendable {
    case text(String)
    case integer(Int64)
    case real(Double)
    case blob(Data)
}

extension FieldValue {
    /// The value as a column holds it; `nil` for values that SQL does not compare.
    ///
    /// A reference is its target's record name.
    var sqlValue: SQLValue? {
        switch self {
        case .string(let text): .text(text)
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .timestamp(let date): .real(date.timeIntervalSinceReferenceDate)
        case .bytes(let data): .blob(data)
        case .reference(let reference): .text(reference.recordID.recordName)
        case .location, .asset, .list: nil
        }
    }
}

extension SQLBuilder {
    /// Binds all values that the statement mentions; a condition may have turned out to need none of its own.
    func bind(to statement: Statement) throws {
        for (index, value) in values.prefix(statement.parameterCount).enumerated() {
            let position = Int32(index + 1)
            switch value {
            case .text(let text): try statement.bind(text, at: position)
            case .integer(let number): try statement.bind(number, at: position)
            case .real(let number): try statement.bind(number, at: position)
            case .blob(let data): try statement.bind(data, at: position)
            }
        }
    }
}

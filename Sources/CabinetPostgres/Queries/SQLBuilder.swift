import Cabinet
import Foundation

/// Collects the values of a statement's numbered parameters while its text is made.
///
/// Values never become text.
struct SQLBuilder {
    private(set) var values: [SQLValue]
    /// The number of the database.
    let databaseID: Int64

    /// The most parameters that a statement is given; PostgreSQL's own limit is 65,535.
    static let maximumParameters = 20_000

    /// The number of the database, which is the first parameter of every statement.
    static let database = "$1"

    init(database: Int64) {
        databaseID = database
        values = [.integer(database)]
    }

    /// Adds a value.
    ///
    /// - Returns: The parameter as SQL takes it: `$7`.
    mutating func parameter(_ value: SQLValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    /// Forgets the values that were added after a number of them.
    mutating func truncate(to count: Int) {
        values.removeLast(values.count - count)
    }
}

/// A statement's text and the values of its parameters.
struct SQLStatement {
    let text: String
    let values: [SQLValue]
}

extension FieldValue {
    /// The value as a column holds it; `nil` for those that SQL does not compare.
    ///
    /// A reference is its target's record name.
    var sqlValue: SQLValue? {
        switch self {
        case .string(let text): .text(StoredText.encoded(text))
        case .int64(let number): .integer(number)
        case .double(let number): .double(number)
        case .timestamp(let date): .double(date.timeIntervalSinceReferenceDate)
        case .bytes(let data): .bytes(data)
        case .reference(let reference): .text(StoredText.encoded(reference.recordID.recordName))
        case .location, .asset, .list: nil
        }
    }
}

extension SQLValue {
    /// Values of one type as one array; `nil` if they are of several types, or of one that has no array.
    static func array(_ values: [SQLValue]) -> SQLValue? {
        func all<Element>(_ extract: (SQLValue) -> Element?) -> [Element?]? {
            let elements = values.compactMap(extract)
            return elements.count == values.count ? elements.map(Optional.some) : nil
        }
        switch values.first {
        case .text: return all { if case .text(let value) = $0 { value } else { nil } }.map(SQLValue.texts)
        case .integer: return all { if case .integer(let value) = $0 { value } else { nil } }.map(SQLValue.integers)
        case .double: return all { if case .double(let value) = $0 { value } else { nil } }.map(SQLValue.doubles)
        case .bytes: return all { if case .bytes(let value) = $0 { value } else { nil } }.map(SQLValue.byteLists)
        default: return nil
        }
    }
}

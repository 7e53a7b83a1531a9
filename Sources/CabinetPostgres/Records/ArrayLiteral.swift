import Cabinet
import Foundation

/// Array literals for PostgreSQL's input functions.
///
/// Records are sent column by column, each column as one array. A column of lists cannot be an array of arrays, whose lengths
/// would have to be equal. It is an array of texts, which the server casts.
enum ArrayLiteral {
    /// Returns the elements of a list, and the actions of its references.
    static func texts(of list: FieldList) -> (elements: String, actions: String?) {
        switch list {
        case .string(let values): (array(values.map { quoted(StoredText.encoded($0)) }), nil)
        case .int64(let values): (array(values.map(\.description)), nil)
        case .double(let values): (array(values.map(number)), nil)
        case .timestamp(let values): (array(values.map { number($0.timeIntervalSinceReferenceDate) }), nil)
        case .bytes(let values): (array(values.map(bytes)), nil)
        case .reference(let values):
            (
                array(values.map { quoted(StoredText.encoded($0.recordID.recordName)) }),
                array(values.map { "\($0.action.rawValue)" })
            )
        case .location(let values): (array(values.flatMap(\.storedNumbers).map(number)), nil)
        case .asset(let values): (array(values.map { quoted($0.stored?.description ?? "") }), nil)
        }
    }

    /// Returns the numbers of a location.
    static func text(of location: Location) -> String { array(location.storedNumbers.map(number)) }

    private static func array(_ elements: [String]) -> String { "{\(elements.joined(separator: ","))}" }

    /// Returns the shortest digits that preserve a number; PostgreSQL reads `inf`, `-inf` and `nan`, too.
    private static func number(_ value: Double?) -> String { value.map { "\($0)" } ?? "NULL" }

    private static func bytes(_ data: Data) -> String { "\"\\\\x\(data.hexadecimal)\"" }

    private static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        quoted.append(UInt8(ascii: "\""))
        return String(decoding: quoted, as: UTF8.self)
    }
}

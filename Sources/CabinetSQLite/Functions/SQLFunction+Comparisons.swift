import Cabinet
import Foundation

/// Comparisons of list fields that the evaluator computes without the rest of the record.
extension SQLFunction {
    static let comparisons = [
        // cabinet_list_holds(list, type of its elements, field, comparison as the JSON of a filter)
        SQLFunction("cabinet_list_holds", 4) { arguments in
            guard let type = arguments.text(1).flatMap(FieldType.Scalar.init(rawValue:)), let key = arguments.text(2),
                let json = arguments.bytes(3)
            else { return nil }
            let test = try arguments.kept(3) { try ListTest(json, of: key, type) }
            return .integer(try test.holds(for: arguments, 0) ? 1 : 0)
        }
    ]
}

/// The object that SQLite keeps for a comparison.
private final class ListTest {
    private let type: FieldType.Scalar
    private let names: FieldNames
    private var filter: CompiledFilter

    init(_ json: UnsafeBufferPointer<UInt8>, of key: Record.FieldKey, _ type: FieldType.Scalar) throws {
        let comparison = try JSONDecoder().decode(Filter.self, from: Data(json))
        filter = try CompiledFilter(comparison, fields: [key: .list(of: type)])
        names = FieldNames([key])
        self.type = type
    }

    func holds(for arguments: SQLArguments, _ index: Int) throws -> Bool {
        var list: FieldValue?
        if !arguments.isNull(index) {
            guard let text = arguments.bytes(index),
                let value = try? ListCoding.list(of: type, from: text, in: .default)
            else {
                throw SQLiteFailure.damagedList
            }
            list = .list(value)
        }
        var record = StoredRecord.blank
        record.fields = FieldValues(names: names, values: [list], isComplete: true)
        return try filter.matches(record)
    }
}

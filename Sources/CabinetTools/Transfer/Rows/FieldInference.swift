import Cabinet

/// The types of fields that the schema does not have, from all of their values.
struct FieldInference {
    /// The types that all values so far have; `nil` if they differ, so that the field holds text.
    private var types: [Record.FieldKey: FieldType?] = [:]

    /// The types of the fields; those whose values are all empty are left out.
    var fields: [Record.FieldKey: FieldType] { types.mapValues { $0 ?? .string } }

    /// Adds a value of a JSON object.
    ///
    /// - Returns: Whether the value can be one of the field, as the values before it.
    mutating func add(_ value: JSONValue, of key: Record.FieldKey) -> Bool {
        guard let type = Self.type(of: value) else { return true }
        guard let known = types[key] ?? type else { return false }
        types[key] = Self.common(known, type)
        return types[key] != .some(nil)
    }

    /// Adds a text of a table.
    mutating func add(text: String, of key: Record.FieldKey) {
        if text.isEmpty { return }
        let type = Self.type(ofText: text)
        guard let known = types[key] else { return types[key] = .some(type) }
        types[key] = .some(known.flatMap { Self.common($0, type) })
    }

    /// The type that has the values of both; whole numbers can be doubles.
    private static func common(_ first: FieldType, _ second: FieldType) -> FieldType? {
        if first == second { return first }
        if [first, second].allSatisfy({ $0 == .int64 || $0 == .double }) { return .double }
        let lists: [FieldType] = [.list(of: .int64), .list(of: .double)]
        return lists.contains(first) && lists.contains(second) ? .list(of: .double) : nil
    }

    private static func type(of value: JSONValue) -> FieldType? {
        switch value {
        case .null: nil
        case .bool, .integer: .int64
        case .number: .double
        case .string: .string
        case .array(let elements):
            elements.reduce(nil as FieldType?) { known, element in
                let type = type(of: element)
                return known.flatMap { known in type.flatMap { common(known, $0) } } ?? type
            }.map { .list(of: $0.scalar) }
        case .object(let members):
            switch members.first?.key {
            case "timestamp": .timestamp
            case "bytes": .bytes
            case "reference": .reference
            case "location": .location
            case "asset", "file": .asset
            case "double": .double
            case "encrypted": value["type"]?.string.flatMap { FieldType($0) }
            default: nil
            }
        }
    }

    /// Numbers are written as a program writes them, so that `007` and `+39` stay text.
    private static func type(ofText text: String) -> FieldType {
        if text == "true" || text == "false" || Int64(text).map({ "\($0)" }) == text { return .int64 }
        if text.wholeMatch(of: #/-?(0|[1-9][0-9]*)\.[0-9]+([eE][-+]?[0-9]+)?/#) != nil { return .double }
        // As it is typed, also without a time; but words such as "today" are text.
        guard text.first?.isWholeNumber == true else { return .string }
        return (try? JSONValue(typed: text, of: "", as: .timestamp)) == nil ? .string : .timestamp
    }
}

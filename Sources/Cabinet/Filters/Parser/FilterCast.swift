/// The constant of `CAST(value, 'type')`, for types without a literal of their own.
enum FilterCast {
    /// One value, of a few parts.
    case value(FieldType.Scalar)
    /// A constant list, which may be empty.
    case list(FieldType.Scalar)
    /// A list of operands, also if they are constants of one type.
    case operandList

    /// The type's name for a list of operands.
    static let operands = "LIST"

    /// Creates a cast from the type's name in the schema language; `NSPredicate` writes `NSDate` for dates.
    init?(_ name: String) {
        switch (name, FieldType(name)) {
        case (Self.operands, _): self = .operandList
        case ("NSDate", _): self = .value(.timestamp)
        // These have literals.
        case (_, .string?), (_, .int64?), (_, nil): return nil
        case (_, let type?) where type.isEncrypted: return nil
        case (_, let type?): self = type.isList ? .list(type.scalar) : .value(type.scalar)
        }
    }

    /// Creates the constant.
    ///
    /// - Returns: `nil` if the operand does not fit.
    func expression(_ operand: Filter.Expression) -> Filter.Expression? {
        switch (self, operand) {
        case (.value(let type), .constant(.list(let list))):
            list.count > FieldValue.maximumCastParts
                ? nil : FieldValue(castParts: list.elements, as: type).map { .constant($0) }
        case (.value(let type), .constant(let value)):
            FieldValue(castParts: [value], as: type).map { .constant($0) }
        case (.value(let type), .list(let elements)):
            elements.count > FieldValue.maximumCastParts
                ? nil : Self.constants(elements).flatMap { FieldValue(castParts: $0, as: type) }.map { .constant($0) }
        case (.list(let type), .constant(.list(let list))):
            list.elementType == type ? operand : nil
        case (.list(let type), .list([])):
            FieldList([], of: type).map { .constant(.list($0)) }
        case (.operandList, .constant(.list(let list))):
            .list(list.elements.map { .constant($0) })
        case (.operandList, .list):
            operand
        default:
            nil
        }
    }

    /// The values of operands that are all constants.
    private static func constants(_ operands: [Filter.Expression]) -> [FieldValue?]? {
        var values: [FieldValue?] = []
        for operand in operands {
            guard case .constant(let value) = operand else { return nil }
            values.append(value)
        }
        return values
    }

    /// The result of the cast and its operand, for messages.
    var usage: String {
        switch self {
        case .value(.timestamp): "a TIMESTAMP from the seconds since 2001, as in CAST(694224000.0, 'TIMESTAMP')"
        case .value(.bytes): "BYTES from Base64, as in CAST('AAEC', 'BYTES')"
        case .value(.reference):
            "a REFERENCE from a record name, an action, a zone and its owner, "
                + "as in CAST('milk', 'REFERENCE') or CAST({'milk', 'deleteSelf'}, 'REFERENCE')"
        case .value(.location): "a LOCATION from a latitude and a longitude, as in CAST({52.5, 13.4}, 'LOCATION')"
        case .value(.asset): "an ASSET from a checksum and a size, or from Base64"
        case .value: "a DOUBLE from 'inf', '-inf' or 'nan'; other numbers need no cast"
        case .list(let type): "a LIST<\(type.rawValue)> from a list of such values"
        case .operandList: "a LIST from a list"
        }
    }

    /// The names that messages list.
    static let names = "TIMESTAMP, BYTES, REFERENCE, LOCATION, ASSET, DOUBLE or LIST"
}

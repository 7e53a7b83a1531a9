extension Filter.Expression {
    /// The reason why CloudKit would refuse the operand in any comparison, or `nil` if it would not.
    var reasonForCloudKit: String? {
        switch self {
        case .field(let key): Self.reason(against: key)
        case .constant, .searchableText: nil
        case .list(let elements):
            elements.allSatisfy { $0.cloudKitConstant != nil } ? nil : "CloudKit takes lists of constants alone."
        case .distance(let from, let to): from.reasonForCloudKit ?? to.reasonForCloudKit
        case .member: "CloudKit follows no references, so that it takes no key paths."
        case .element(_, .size): "CloudKit counts no elements of lists."
        case .element: "CloudKit takes no single elements of lists."
        case .arithmetic, .negative: "CloudKit takes no arithmetic."
        case .variable(let name): "CloudKit needs a value in place of $\(name)."
        case .referring: "CloudKit counts no records that refer to others."
        case .unstorable(let text): "No field can hold \(text)."
        }
    }

    /// Returns the reason why CloudKit would refuse a field's name in a filter or a sort key, or `nil` if it would not.
    static func reason(against key: Record.FieldKey) -> String? {
        if FieldPath.isSubquery(key) { return "CloudKit counts no records that refer to others." }
        let steps = FilterKeyPath.steps(of: key)
        if steps.contains(where: { FieldPath.JSON(operator: $0) != nil }) {
            return "CloudKit reads no JSON of text fields."
        }
        if steps.contains(where: { $0.hasPrefix("@") }) {
            return "CloudKit takes no collection operators such as @count."
        }
        if steps.count > 1 { return "CloudKit follows no references, so that it takes no key paths." }
        if SystemField(rawValue: key) == .parent { return "Developers report that CloudKit does not query 'parent'." }
        return nil
    }

    /// The constant that the operand equals in every record, or `nil` if there is none.
    var cloudKitConstant: CloudKitConstant? {
        switch self {
        case .constant(let value): CloudKitConstant(values: [value])
        case .list(let elements):
            elements.reduce(into: Optional(CloudKitConstant(values: []))) { list, element in
                guard case .constant(let value) = element else { return list = nil }
                list?.values.append(value)
            }
        default: nil
        }
    }

    var isDistance: Bool {
        if case .distance = self { true } else { false }
    }

    /// Whether the operand is a field that is known to be text.
    func isKnownText(fields: FieldTypes?) -> Bool {
        if case .field(let key) = self { fields?[key] == .string } else { false }
    }
}

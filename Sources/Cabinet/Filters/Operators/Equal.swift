/// `==`: both are the same value, or both are nil.
enum Equal: OperatorRule {
    static let spellings = ["==", "="]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        if left.isNothing || right.isNothing { return nil }
        return assetError(left, right)
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) -> Bool {
        left.isEqual(to: right)
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        switch (left, right) {
        case (.field(let slot), .constant(.single(let constant))), (.constant(.single(let constant)), .field(let slot)):
            { record, positions, _ in record.value(in: slot, at: positions)?.isEqual(to: constant) ?? false }
        case (.field(let slot), .constant(.nothing)), (.constant(.nothing), .field(let slot)):
            { record, positions, _ in record.value(in: slot, at: positions) == nil }
        default:
            { record, positions, resolver in
                try left.value(in: record, at: positions, resolver).isEqual(
                    to: right.value(in: record, at: positions, resolver))
            }
        }
    }
}

/// `!=`: the negation of `==`, so that a nil field is unequal to every value.
enum NotEqual: OperatorRule {
    static let spellings = ["!=", "<>"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        Equal.typeError(left, right)
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) -> Bool {
        !left.isEqual(to: right)
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        let equal = Equal.test(left, right)
        return { record, positions, resolver in try !equal(record, positions, resolver) }
    }
}

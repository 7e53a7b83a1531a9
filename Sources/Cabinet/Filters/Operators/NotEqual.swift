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

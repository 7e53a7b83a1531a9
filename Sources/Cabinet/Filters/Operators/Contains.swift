/// `CONTAINS`: the right one is an element of the left one, or occurs in its text; the mirror image of `IN`.
enum Contains: OperatorRule {
    static let spellings = ["CONTAINS"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        if left.isNothing || right.isNothing { return nil }
        if !left.mayBeList && !left.mayBeText {
            return "CONTAINS takes a list or text on its left side; \(left.finding)."
        }
        return assetError(left, right)
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        switch left {
        case .single(.list), .single(.string), .list, .nothing:
            return try In.holds(right, left)
        case .single:
            if right.isNothing { return false }
            throw CabinetError(
                .invalidArguments, "CONTAINS takes a list or text on its left side; the record has neither there.")
        }
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        if left.constant?.elements != nil { return In.test(right, left) }
        return { record, positions, resolver in
            try holds(left.value(in: record, at: positions, resolver), right.value(in: record, at: positions, resolver))
        }
    }
}

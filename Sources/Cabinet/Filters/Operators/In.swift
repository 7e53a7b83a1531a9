/// `IN`: the left one is an element of the right one, or occurs in its text.
enum In: OperatorRule {
    static let spellings = ["IN"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        if left.isNothing || right.isNothing { return nil }
        if !right.mayBeList && !right.mayBeText {
            return "IN takes a list or text on its right side; \(right.finding)."
        }
        return assetError(left, right)
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        switch (left, right) {
        case (.nothing, _), (_, .nothing):
            return false
        case (.single(let element), .single(.list(let list))):
            try WorkMeter.spend(list.count)
            return list.hasElement(equalTo: element)
        case (_, .single(.string(let text))):
            guard let part = left.text else { return false }
            try WorkMeter.spend((text.utf8.count + part.utf8.count) / 16)
            return text.hasSubstring(part)
        default:
            guard let elements = right.elements else {
                throw CabinetError(
                    .invalidArguments, "IN takes a list or text on its right side; the record has neither there.")
            }
            try WorkMeter.spend(elements.count)
            return elements.contains { $0.isEqual(to: left) }
        }
    }

    static func judge(_ right: FilterValue) -> FilterJudge {
        guard let elements = right.elements else { return { try holds($0, right) } }
        let set = FilterValueSet(elements)
        return { try set.contains($0) }
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        // A long list of constants becomes a set once, which avoids a linear search for every record.
        guard let elements = right.constant?.elements else {
            return { record, positions, resolver in
                try holds(
                    left.value(in: record, at: positions, resolver), right.value(in: record, at: positions, resolver))
            }
        }
        let set = FilterValueSet(elements)
        if case .field(let slot) = left {
            return { record, positions, _ in
                try record.value(in: slot, at: positions).map { try set.contains($0) } ?? false
            }
        }
        return { record, positions, resolver in try set.contains(left.value(in: record, at: positions, resolver)) }
    }
}

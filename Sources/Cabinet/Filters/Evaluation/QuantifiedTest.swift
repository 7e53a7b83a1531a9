/// A comparison for the elements of a list: ANY, ALL and NONE.
///
/// Nil has no elements, like an empty list.
struct QuantifiedTest {
    let quantifier: Filter.Quantifier
    let rule: any OperatorRule.Type

    /// A closure that evaluates the comparison for records.
    func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        if let constant = right.constant {
            let judge = rule.judge(constant)
            return { record, positions, resolver in
                try holds(for: left.value(in: record, at: positions, resolver), judge)
            }
        }
        return { record, positions, resolver in
            let right = try right.value(in: record, at: positions, resolver)
            return try holds(for: left.value(in: record, at: positions, resolver)) { try rule.holds($0, right) }
        }
    }

    private func holds(for list: FilterValue, _ judge: (FilterValue) throws -> Bool) throws -> Bool {
        let elements = list.isNothing ? [] : list.elements
        guard let elements else {
            throw CabinetError(
                .invalidArguments, "\(quantifier.word ?? "") takes a list on its left side; the record has none there.")
        }
        try WorkMeter.spend(elements.count)
        return switch quantifier {
        case .any, .single: try elements.contains(where: judge)
        case .all: try elements.allSatisfy(judge)
        case .none: try !elements.contains(where: judge)
        }
    }
}

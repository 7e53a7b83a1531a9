/// The common part of the four operators `<`, `<=`, `>`, `>=`.
///
/// Values of different kinds, and nil, have no order, so that all four operators are false for them.
protocol OrderRule: OperatorRule {
    /// Whether the comparison holds for values that stand to each other like this.
    static func accepts(_ ordering: Ordering) -> Bool
}

extension OrderRule {
    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        [left, right].first { !$0.hasOrder }.map {
            "'\(symbol)' compares text, numbers, dates and bytes; \($0.finding), which has no order."
        }
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) -> Bool {
        left.compared(to: right).map(accepts) ?? false
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        guard case .field(let slot) = left, case .constant(.single(let constant)) = right else {
            return { record, positions, resolver in
                let ordering = try left.value(in: record, at: positions, resolver)
                    .compared(to: right.value(in: record, at: positions, resolver))
                return ordering.map(accepts) ?? false
            }
        }
        return { record, positions, _ in
            record.value(in: slot, at: positions)?.compared(to: constant).map(accepts) ?? false
        }
    }
}

/// `<`: the left one comes before the right one.
enum LessThan: OrderRule {
    static let spellings = ["<"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering == .before }
}

/// `<=`: the left one comes before the right one, or equals it.
enum LessThanOrEqual: OrderRule {
    static let spellings = ["<=", "=<"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering != .after }
}

/// `>`: the left one comes after the right one.
enum GreaterThan: OrderRule {
    static let spellings = [">"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering == .after }
}

/// `>=`: the left one comes after the right one, or equals it.
enum GreaterThanOrEqual: OrderRule {
    static let spellings = [">=", "=>"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering != .before }
}

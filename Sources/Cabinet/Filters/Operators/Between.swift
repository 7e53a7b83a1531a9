/// `BETWEEN`: the left one lies in the range of the right one's two elements, both included.
enum Between: OperatorRule {
    static let spellings = ["BETWEEN"]

    static func typeError(_ left: OperandType, _ right: OperandType) -> String? {
        let expectation = "BETWEEN takes a list of two values, the lower one first, as in {1, 5}"
        switch right.kind {
        case .scalar: return "\(expectation); \(right.finding)."
        case .list(_, let count?) where count != 2: return "\(expectation); the list has \(count.counted("element"))."
        case .nothing, .list, .unknown: break
        }
        if left.hasOrder { return nil }
        return "BETWEEN compares text, numbers, dates and bytes; \(left.finding), which has no order."
    }

    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool {
        if right.isNothing { return false }
        guard let bounds = right.elements, bounds.count == 2 else {
            throw CabinetError(
                .invalidArguments, "BETWEEN takes a list of two values; the record's has another number.")
        }
        return GreaterThanOrEqual.holds(left, bounds[0]) && LessThanOrEqual.holds(left, bounds[1])
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        guard case .field(let slot) = left, let bounds = right.constant?.elements, bounds.count == 2,
            case .single(let lower) = bounds[0], case .single(let upper) = bounds[1]
        else {
            return { record, positions, resolver in
                try holds(
                    left.value(in: record, at: positions, resolver), right.value(in: record, at: positions, resolver))
            }
        }
        return { record, positions, _ in
            guard let value = record.value(in: slot, at: positions) else { return false }
            let fromLower = value.compared(to: lower)
            let fromUpper = value.compared(to: upper)
            return (fromLower.map(GreaterThanOrEqual.accepts) ?? false)
                && (fromUpper.map(LessThanOrEqual.accepts) ?? false)
        }
    }
}

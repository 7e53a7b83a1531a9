/// An operand that knows where its value lies.
enum CompiledOperand: Sendable {
    case field(slot: Int)
    case systemField(SystemField)
    case constant(FilterValue)
    case list([CompiledOperand])
    /// An operand whose text is folded under options.
    indirect case folded(CompiledOperand, Filter.Options)

    /// The value for a record whose fields lie at the given positions.
    func value(in record: StoredRecord, at positions: [Int]) -> FilterValue {
        switch self {
        case .field(let slot): FilterValue(record.value(in: slot, at: positions))
        case .systemField(let field): FilterValue(record[field])
        case .constant(let value): value
        case .list(let operands): .list(operands.map { $0.value(in: record, at: positions) })
        case .folded(let operand, let options): operand.value(in: record, at: positions).folded(options)
        }
    }

    /// The operand with its text folded; a constant is folded here, once.
    func folded(_ options: Filter.Options) -> CompiledOperand {
        if options.isEmpty { return self }
        return constant.map { .constant($0.folded(options)) } ?? .folded(self, options)
    }

    /// The value, if it is the same for all records.
    var constant: FilterValue? {
        if case .constant(let value) = self { value } else { nil }
    }
}

/// An operand with the position of its value.
enum CompiledOperand: Sendable {
    case field(slot: Int)
    case systemField(SystemField)
    case constant(FilterValue)
    case list([CompiledOperand])
    /// An operand computed from others.
    case computed(Value)
    /// An operand whose text is folded under options.
    indirect case folded(CompiledOperand, Filter.Options)

    /// Computes a value for a record whose fields lie at the given positions.
    typealias Value =
        @Sendable (_ record: StoredRecord, _ positions: [Int], _ resolver: CompiledFilter.Resolver) throws ->
        FilterValue

    /// The value for a record whose fields lie at the given positions.
    func value(
        in record: StoredRecord, at positions: [Int], _ resolver: CompiledFilter.Resolver
    ) throws -> FilterValue {
        switch self {
        case .field(let slot): FilterValue(record.value(in: slot, at: positions))
        case .systemField(let field): FilterValue(record[field])
        case .constant(let value): value
        case .list(let operands): .list(try operands.map { try $0.value(in: record, at: positions, resolver) })
        case .computed(let value): try value(record, positions, resolver)
        case .folded(let operand, let options):
            try operand.value(in: record, at: positions, resolver).foldedOnce(options)
        }
    }

    /// Returns the operand with its text folded.
    ///
    /// A constant is folded once, here.
    func folded(_ options: Filter.Options) -> CompiledOperand {
        if options.isEmpty { return self }
        return constant.map { .constant($0.folded(options)) } ?? .folded(self, options)
    }

    /// The value, if it is the same for all records.
    var constant: FilterValue? {
        if case .constant(let value) = self { value } else { nil }
    }
}

extension CompiledOperand {
    /// Returns an operand that is computed from this one.
    ///
    /// A constant is computed once, here.
    func map(_ transform: @escaping @Sendable (FilterValue) throws -> FilterValue) -> CompiledOperand {
        // A computation that fails for constants fails again for each record.
        if let constant, let value = try? transform(constant) { return .constant(value) }
        return .computed { record, positions, resolver in
            try transform(value(in: record, at: positions, resolver))
        }
    }

    /// Returns an operand that is computed from this one and another one.
    ///
    /// Constants are computed once, here.
    func combined(
        with other: CompiledOperand,
        _ transform: @escaping @Sendable (FilterValue, FilterValue) throws -> FilterValue
    ) -> CompiledOperand {
        if let constant { return other.map { try transform(constant, $0) } }
        if let constant = other.constant { return map { try transform($0, constant) } }
        return .computed { record, positions, resolver in
            try transform(
                value(in: record, at: positions, resolver), other.value(in: record, at: positions, resolver))
        }
    }

    /// Returns an operand that follows a path from this one.
    func following(_ walk: PathWalk) -> CompiledOperand {
        .computed { record, positions, resolver in
            try walk.follow(value(in: record, at: positions, resolver), resolver)
        }
    }
}

/// Turns a tree into closures, and fields into slots.
struct FilterCompiler {
    private let fields: FieldTypes
    private let absent: Set<SystemField>
    private(set) var keys: [Record.FieldKey] = []
    private var slots: [Record.FieldKey: Int] = [:]

    init(fields: FieldTypes, absent: Set<SystemField>) {
        self.fields = fields
        self.absent = absent
    }

    mutating func test(_ filter: Filter) -> CompiledFilter.Test {
        switch filter {
        case .constant(let value):
            return { _, _, _ in value }
        case .comparison(let comparison):
            return test(comparison)
        case .and(let children):
            return Self.joined(children.map { Part(test: test($0)) }[...], isConjunction: true)
        case .or(let children):
            return Self.joined(children.map { Part(test: test($0)) }[...], isConjunction: false)
        case .not(let child):
            let test = test(child)
            return { record, positions, resolver in try !test(record, positions, resolver) }
        }
    }

    /// A test in an array.
    ///
    /// A closure that is an element itself is called through a thunk, which takes longer than most tests.
    private struct Part {
        let test: CompiledFilter.Test
    }

    /// Joins several tests into one that requires all of them, or one of them.
    ///
    /// Halves are joined recursively, so that a thousand tests call each other ten levels deep.
    private static func joined(_ parts: ArraySlice<Part>, isConjunction: Bool) -> CompiledFilter.Test {
        guard let only = parts.first else { return { _, _, _ in isConjunction } }
        if parts.count == 1 { return only.test }
        let middle = parts.startIndex + parts.count / 2
        let first = joined(parts[..<middle], isConjunction: isConjunction)
        let second = joined(parts[middle...], isConjunction: isConjunction)
        if isConjunction {
            return { record, positions, resolver in
                try first(record, positions, resolver) && second(record, positions, resolver)
            }
        }
        return { record, positions, resolver in
            try first(record, positions, resolver) || second(record, positions, resolver)
        }
    }

    private mutating func test(_ comparison: Filter.Comparison) -> CompiledFilter.Test {
        let rule = comparison.rule
        let folding = rule.folding(comparison.options)
        let right = operand(comparison.right).folded(folding)
        if comparison.left == .searchableText { return search(for: right, rule) }
        let left = operand(comparison.left).folded(folding)
        if comparison.quantifier != .single {
            return QuantifiedTest(quantifier: comparison.quantifier, rule: rule).test(left, right)
        }
        // Two constants give the same result for all records, unless they fail.
        if let left = left.constant, let right = right.constant, let value = try? rule.holds(left, right) {
            return { _, _, _ in value }
        }
        return rule.test(left, right)
    }

    /// Returns a test of the comparison with each of the searchable fields.
    private mutating func search(for right: CompiledOperand, _ rule: any OperatorRule.Type) -> CompiledFilter.Test {
        let slots = fields.searchable.map { slot(of: $0) }
        if rule == Search.self { return Search.test(of: slots, right) }
        let tests = slots.map { Part(test: rule.test(.field(slot: $0), right)) }
        return Self.joined(tests[...], isConjunction: false)
    }

    private mutating func operand(_ expression: Filter.Expression) -> CompiledOperand {
        switch expression {
        case .field(let key):
            return operand(key)
        case .constant(let value):
            return .constant(FilterValue(value))
        case .list(let elements):
            let operands = elements.map { operand($0) }
            let constants = operands.compactMap(\.constant)
            return constants.count == operands.count ? .constant(.list(constants)) : .list(operands)
        case .member(let expression, let member):
            // Validation has refused malformed paths.
            guard let steps = try? FieldPath.steps(of: member) else { return .constant(.nothing) }
            return operand(expression).following(PathWalk(steps, of: member))
        case .element(let list, let index):
            return element(operand(list), index)
        case .arithmetic(let left, let operation, let right):
            return operand(left).combined(with: operand(right)) { left, right in
                FilterValue(try operation.result(of: try left.number(), and: try right.number()))
            }
        case .negative(let number):
            return operand(number).map { FilterValue(try Filter.Arithmetic.negated(try $0.number())) }
        case .distance(let left, let right):
            return operand(left).combined(with: operand(right)) { try $0.distance(to: $1) }
        case .referring(let type, let field, let filter):
            return .computed { record, _, resolver in
                let records = ReferringRecords(recordType: type, field: field, target: record.recordID, filter: filter)
                return .single(.int64(Int64(try resolver.count(of: records))))
            }
        case .unstorable, .searchableText, .variable:
            // Validation has refused it.
            return .constant(.nothing)
        }
    }

    /// Returns the value of a field, or of the end of a key path.
    private mutating func operand(_ key: Record.FieldKey) -> CompiledOperand {
        guard FieldPath.isLong(key) else { return plainOperand(key) }
        // Validation has refused malformed paths.
        guard let path = try? FieldPath(key) else { return .constant(.nothing) }
        let first = plainOperand(path.first)
        if first.constant != nil || !path.isLong { return first }
        return first.following(PathWalk(path.steps.dropFirst(), of: key))
    }

    /// Returns the value of a field of the record itself, or nil if no field has the name.
    private mutating func plainOperand(_ key: Record.FieldKey) -> CompiledOperand {
        if let field = SystemField(rawValue: key) {
            return absent.contains(field) ? .constant(.nothing) : .systemField(field)
        }
        return fields[key] == nil ? .constant(.nothing) : .field(slot: slot(of: key))
    }

    private mutating func element(_ list: CompiledOperand, _ index: Filter.Index) -> CompiledOperand {
        switch index {
        case .at(let position):
            return list.combined(with: operand(position)) { list, position in
                let elements = try list.indexedElements()
                guard let position = try position.index(), let elements, elements.indices.contains(position) else {
                    return .nothing
                }
                return elements[position]
            }
        case .first: return list.map { try $0.indexedElements()?.first ?? .nothing }
        case .last: return list.map { try $0.indexedElements()?.last ?? .nothing }
        case .size:
            return list.map { list in
                FilterValue(try list.indexedElements().map { .int64(Int64($0.count)) })
            }
        }
    }

    private mutating func slot(of key: Record.FieldKey) -> Int {
        if let slot = slots[key] { return slot }
        slots[key] = keys.count
        keys.append(key)
        return keys.count - 1
    }
}

extension FilterCompiler {
    /// The value of an operand that is the same for every record; `nil` if it is not, or if it fails.
    static func constant(_ expression: Filter.Expression) -> FilterValue? {
        var compiler = FilterCompiler(fields: [:], absent: [])
        return compiler.operand(expression).constant
    }
}

extension FilterValue {
    /// The value as an operand of arithmetic, which sees to its type.
    fileprivate func number() throws -> FieldValue? {
        switch self {
        case .nothing: return nil
        case .single(let value): return value
        case .list:
            throw CabinetError(.invalidArguments, "Arithmetic takes numbers; the record has a list there.")
        }
    }

    /// The elements; `nil` of nil.
    fileprivate func indexedElements() throws -> [FilterValue]? {
        if isNothing { return nil }
        guard let elements else {
            throw CabinetError(
                .invalidArguments, "An index in brackets takes a list before it; the record has something else there.")
        }
        return elements
    }

    /// The value as an index; `nil` of nil, and of numbers that no list has an element for.
    fileprivate func index() throws -> Int? {
        switch self {
        case .nothing: return nil
        case .single(.int64(let number)): return Int(exactly: number)
        case .single(.double(let number)) where number == number.rounded(.towardZero): return Int(exactly: number)
        default:
            throw CabinetError(
                .invalidArguments, "The index of an element is a whole number; the record has something else there.")
        }
    }

    fileprivate func distance(to other: FilterValue) throws -> FilterValue {
        switch (self, other) {
        case (.single(.location(let left)), .single(.location(let right))):
            let distance = left.distance(to: right)
            return distance.isNaN ? .nothing : .single(.double(distance))
        case (.single(.location), .nothing), (.nothing, .single(.location)), (.nothing, .nothing):
            return .nothing
        default:
            throw CabinetError(
                .invalidArguments, "A distance needs two locations; the record has another value there.")
        }
    }
}

/// A filter made ready to be evaluated for many records of one type.
///
/// This is the filter language's one evaluator. A backend that cannot answer a filter, or a part of it, itself compiles
/// that part once per query and asks it about each record that remains:
///
/// ```swift
/// var remainder = try CompiledFilter(filter, fields: plan.fields)
/// for record in candidates where try remainder.matches(record) { … }
/// ```
///
/// The records must hold every field that ``Filter/fieldKeys`` names, if they have a value there.
public struct CompiledFilter: Sendable {
    /// Finds the record that a reference points to, or `nil` if there is none.
    public typealias Resolver = (RecordID) throws -> StoredRecord?

    /// Answers for one record, whose fields lie at the given positions.
    typealias Test = @Sendable (_ record: StoredRecord, _ positions: [Int]) throws -> Bool

    private let test: Test
    private var slots: FieldSlots

    /// Compiles a filter for the records of a type.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - fields: What is known of the records' fields; a field that is not among them is `nil` in every record.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``Filter/validate(fields:)`` does.
    /// - Complexity: O(*n*) in the size of the filter.
    public init(_ filter: Filter, fields: FieldTypes) throws {
        try self.init(filter, fields: fields, absent: [])
    }

    /// Compiles a filter for records some of whose system fields are nil, because they were never saved.
    init(_ filter: Filter, fields: FieldTypes, absent: Set<SystemField>) throws {
        try filter.validate(fields: fields)
        var compiler = FilterCompiler(fields: fields, absent: absent)
        test = compiler.test(filter)
        slots = FieldSlots(compiler.keys)
    }

    /// Whether a record matches the filter.
    ///
    /// It is `mutating` because positions of fields are remembered from record to record; a copy is independent.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - resolver: Finds the records that references point to; asked only if the filter has key paths through them.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the record's values make the comparison meaningless, such as
    ///   BETWEEN with a list field that does not hold two elements.
    public mutating func matches(_ record: StoredRecord, resolving resolver: Resolver = { _ in nil }) throws -> Bool {
        slots.use(record.fields.names)
        return try test(record, slots.positions)
    }
}

/// Turns a tree into closures, and fields into slots.
private struct FilterCompiler {
    let fields: FieldTypes
    let absent: Set<SystemField>
    private(set) var keys: [Record.FieldKey] = []
    private var slots: [Record.FieldKey: Int] = [:]

    init(fields: FieldTypes, absent: Set<SystemField>) {
        self.fields = fields
        self.absent = absent
    }

    mutating func test(_ filter: Filter) -> CompiledFilter.Test {
        switch filter {
        case .constant(let value):
            return { _, _ in value }
        case .comparison(let comparison):
            return test(comparison)
        case .and(let children):
            let tests = children.map { test($0) }
            return { record, positions in
                for test in tests where try !test(record, positions) { return false }
                return true
            }
        case .or(let children):
            let tests = children.map { test($0) }
            return { record, positions in
                for test in tests where try test(record, positions) { return true }
                return false
            }
        case .not(let child):
            let test = test(child)
            return { record, positions in try !test(record, positions) }
        }
    }

    private mutating func test(_ comparison: Filter.Comparison) -> CompiledFilter.Test {
        let rule = comparison.rule
        let folding = rule.folding(comparison.options)
        let left = operand(comparison.left).folded(folding)
        let right = operand(comparison.right).folded(folding)
        if comparison.quantifier == .single { return rule.test(left, right) }
        return QuantifiedTest(quantifier: comparison.quantifier, rule: rule).test(left, right)
    }

    private mutating func operand(_ expression: Filter.Expression) -> CompiledOperand {
        switch expression {
        case .field(let key):
            if let field = SystemField(rawValue: key) {
                return absent.contains(field) ? .constant(.nothing) : .systemField(field)
            }
            return fields[key] == nil ? .constant(.nothing) : .field(slot: slot(of: key))
        case .constant(let value):
            return .constant(FilterValue(value))
        case .list(let elements):
            let operands = elements.map { operand($0) }
            let constants = operands.compactMap(\.constant)
            return constants.count == operands.count ? .constant(.list(constants)) : .list(operands)
        case .unstorable, .member, .element, .arithmetic, .negative, .distance, .searchableText, .variable:
            // Validation has refused it.
            return .constant(.nothing)
        }
    }

    private mutating func slot(of key: Record.FieldKey) -> Int {
        if let slot = slots[key] { return slot }
        slots[key] = keys.count
        keys.append(key)
        return keys.count - 1
    }
}

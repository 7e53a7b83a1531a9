/// A filter that is prepared for the evaluation of many records of one type.
///
/// This is the only evaluator of the filter language. A backend that cannot evaluate a filter, or a part of it, compiles
/// that part once per query and evaluates it for each record that remains:
///
/// ```swift
/// var remainder = try CompiledFilter(filter, fields: plan.fields)
/// for record in candidates {
///     if try remainder.matches(record, resolving: fetch) { … }
/// }
/// ```
///
/// The records must hold every field that ``Filter/keysToFetch(in:)`` names, if they have a value there.
public struct CompiledFilter: Sendable {
    /// Answers for one record, whose fields lie at the given positions.
    typealias Test =
        @Sendable (_ record: StoredRecord, _ positions: [Int], _ resolver: Resolver) throws -> Bool

    private let test: Test
    private var slots: FieldSlots
    /// The units of work that one record is counted as.
    private let unitsPerRecord: Int
    /// The meter that counts the work: that of the request in which the filter was compiled.
    var meter = WorkMeter.current

    /// Compiles a filter for the records of a type.
    ///
    /// - Parameters:
    ///   - filter: The filter.
    ///   - fields: The types of the records' fields. A field that is not among them is `nil` in every record.
    /// - Throws: ``CabinetError/Code/invalidArguments``, as ``Filter/validate(fields:)`` does.
    /// - Complexity: O(*n*) in the size of the filter.
    public init(_ filter: Filter, fields: FieldTypes) throws {
        try filter.validate(fields: fields)
        self.init(validated: filter, fields: fields)
    }

    /// Compiles a filter that was validated for the same fields.
    ///
    /// - Parameter absent: The system fields that are `nil`, because the records were never saved.
    init(validated filter: Filter, fields: FieldTypes, absent: Set<SystemField> = []) {
        unitsPerRecord = filter.unitsPerRecord
        var compiler = FilterCompiler(fields: fields, absent: absent)
        test = compiler.test(filter)
        slots = FieldSlots(compiler.keys)
    }

    /// Returns a Boolean value that indicates whether a record matches the filter.
    ///
    /// The method is `mutating` because it caches the positions of fields. A copy is independent.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - resolver: The other records, which are read only if the filter has key paths through references, or counts
    ///     records that refer to this one. The default throws.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the record's values make the comparison meaningless, such as
    ///   BETWEEN with a list field that does not hold two elements; ``CabinetError/Code/limitExceeded`` if the work that the
    ///   request may do is spent, see ``Limits/workPerRequest``, or if a regular expression takes too many steps; and
    ///   ``CabinetError/Code/operationCancelled`` if the request's task was cancelled.
    public mutating func matches(_ record: StoredRecord, resolving resolver: Resolver = .none) throws -> Bool {
        try meter?.spend(unitsPerRecord)
        slots.use(record.fieldNames)
        return try test(record, slots.positions, resolver)
    }
}

/// The steps of a path that lead on from a value, made ready to be taken for many records.
struct PathWalk: Sendable {
    private enum Step: Sendable {
        case field(Record.FieldKey)
        case systemField(SystemField)
        case collection(FieldPath.Collection)
        case json(FieldPath.JSON)
    }

    private let steps: [Step]
    /// The steps as they are written, for messages.
    private let text: String

    /// More values than this, which paths through list after list could lead to, are too many.
    private static let valueLimit = 1_000_000

    /// - Parameter steps: The steps after the first one, or those of a member.
    init(_ steps: some Sequence<FieldPath.Step>, of text: String) {
        self.steps = steps.map { step in
            switch step {
            case .name(let name): SystemField(rawValue: name).map(Step.systemField) ?? .field(name)
            case .collection(let collection): .collection(collection)
            case .json(let json): .json(json)
            }
        }
        self.text = text
    }

    /// Follows the steps from a value.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if a step is impossible for the values of the records, and the
    ///   errors of the resolver.
    func follow(_ value: FilterValue, _ resolver: CompiledFilter.Resolver) throws -> FilterValue {
        var room = Self.valueLimit
        return try follow(value, steps[...], resolver, &room)
    }

    private func follow(
        _ value: FilterValue, _ steps: ArraySlice<Step>, _ resolver: CompiledFilter.Resolver, _ room: inout Int
    ) throws -> FilterValue {
        var value = value
        var rest = steps
        while let step = rest.popFirst() {
            if value.isNothing { return .nothing }
            if case .collection(let collection) = step {
                return try collect(value, collection, rest, resolver, &room)
            }
            value = try member(step, of: value, resolver, &room)
        }
        return value
    }

    /// The value of a field of the record that a reference points to, or in the JSON of a text; of a list, the list of the values.
    private func member(
        _ step: Step, of value: FilterValue, _ resolver: CompiledFilter.Resolver, _ room: inout Int
    ) throws -> FilterValue {
        switch value {
        case .nothing: return .nothing
        case .single(.string(let text)):
            guard case .json(let json) = step else {
                throw error("a step leads through a text, which is not a reference")
            }
            return FilterValue(try json.value(in: text))
        case .single(.reference(let reference)):
            if case .json = step { throw error("a step reads the JSON of a reference, which is not a text") }
            try WorkMeter.current?.spend(1)
            guard let target = try resolver(reference.recordID) else { return .nothing }
            return FilterValue(try self.value(of: step, in: target))
        default:
            guard let elements = value.elements else {
                throw error("a step leads through a value that is neither a reference nor JSON")
            }
            room -= elements.count
            if room < 0 { throw error("it leads to more than \(Self.valueLimit) values") }
            try WorkMeter.spend(elements.count)
            return .list(try elements.map { try member(step, of: $0, resolver, &room) })
        }
    }

    private func value(of step: Step, in record: StoredRecord) throws -> FieldValue? {
        switch step {
        case .systemField(let field): return record.wasNeverSaved && field.isSetBySaving ? nil : record[field]
        case .field(let key):
            if let value = record.fields[key] { return value }
            if record.fields.knows(key) { return nil }
            throw CabinetError(
                .invalidArguments,
                "The record was fetched without the field '\(key)', which the path '\(text)' leads to.",
                recordID: record.recordID, fieldKey: key)
        case .collection, .json: return nil
        }
    }

    private func collect(
        _ list: FilterValue, _ collection: FieldPath.Collection, _ rest: ArraySlice<Step>,
        _ resolver: CompiledFilter.Resolver, _ room: inout Int
    ) throws -> FilterValue {
        guard let elements = list.elements else {
            throw error("\(collection.rawValue) takes a list, and the record has none there")
        }
        guard let aggregate = collection.aggregate else { return .single(.int64(Int64(elements.count))) }
        room -= elements.count
        if room < 0 { throw error("it leads to more than \(Self.valueLimit) values") }
        try WorkMeter.spend(elements.count)
        var accumulator = AggregateAccumulator(aggregate)
        for element in elements {
            switch try follow(element, rest, resolver, &room) {
            case .nothing: continue
            case .single(let value): try accumulator.add(value)
            case .list: throw error("\(aggregate.expectation), and the record has lists there")
            }
        }
        return FilterValue(accumulator.result)
    }

    private func error(_ message: String) -> CabinetError {
        CabinetError(.invalidArguments, "The path '\(text)' cannot be followed: \(message).", fieldKey: text)
    }
}

extension StoredRecord {
    /// Whether this is a record of a program, in the form that the evaluator takes, that no server has seen yet.
    var wasNeverSaved: Bool { sequenceNumber == .min }
}

extension SystemField {
    /// Whether a record has the field only after it was saved.
    fileprivate var isSetBySaving: Bool {
        switch self {
        case .creationDate, .modificationDate, .creatorUserRecordID, .lastModifiedUserRecordID: true
        case .recordID, .parent: false
        }
    }
}

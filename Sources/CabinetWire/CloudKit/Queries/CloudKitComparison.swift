import Cabinet

/// A filter of a query: a field, a comparator and a value.
struct CloudKitComparison {
    /// The field; `nil` for a search in all searchable fields.
    var field: Record.FieldKey?
    var comparator: CloudKitComparator
    var value: FieldValue
    /// The radius of a comparison of distances, in metres.
    var distance: Double?

    /// Writes the filter.
    func write(by values: CloudKitValueWriter, to writer: inout JSONWriter) throws(CabinetError) {
        var values = values
        values.writesActions = false
        try writer.object { writer throws(CabinetError) in
            if let field { writer.member("fieldName", CloudKitFieldName.name(of: field)) }
            writer.member("comparator", comparator.rawValue)
            writer.key("fieldValue")
            try values.write(value, to: &writer)
            if let distance {
                writer.key("distance")
                writer.write(distance)
            }
        }
    }
}

extension CloudKitComparator {
    /// Returns the filters that together say the same as a filter.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the part that CloudKit cannot say.
    static func comparisons(of filter: Filter) throws(CabinetError) -> [CloudKitComparison] {
        switch filter {
        case .constant(true): return []
        case .constant(false), .or: throw refusal(filter)
        case .and(let filters):
            var comparisons: [CloudKitComparison] = []
            for filter in filters { comparisons += try Self.comparisons(of: filter) }
            return comparisons
        case .comparison(let comparison):
            if let parts = bounds(comparison) { return try comparisons(of: .and(parts)) }
            return [try self.comparison(comparison, isNegated: false)]
        case .not(.comparison(let comparison)): return [try self.comparison(comparison, isNegated: true)]
        case .not(.and(let filters)):
            guard let comparison = notListContainsAll(filters) else { throw refusal(filter) }
            return [comparison]
        case .not: throw refusal(filter)
        }
    }

    /// The two filters that together say the same as `BETWEEN`, which has no comparator; `nil` for another comparison.
    private static func bounds(_ comparison: Filter.Comparison) -> [Filter]? {
        guard comparison.operator == .between, comparison.quantifier == .single else { return nil }
        let bounds: [Filter.Expression]
        switch comparison.right {
        case .list(let operands): bounds = operands
        case .constant(.list(let list)?): bounds = list.elements.map { .constant($0) }
        default: return nil
        }
        guard bounds.count == 2 else { return nil }
        return [
            .comparison(.init(comparison.left, .greaterThanOrEqual, bounds[0], options: comparison.options)),
            .comparison(.init(comparison.left, .lessThanOrEqual, bounds[1], options: comparison.options)),
        ]
    }

    /// The filter that says that a list lacks one of several values: that of some comparisons which do not all hold.
    private static func notListContainsAll(_ filters: [Filter]) -> CloudKitComparison? {
        let found = filters.compactMap { filter -> CloudKitComparison? in
            guard let comparisons = try? comparisons(of: filter), comparisons.count == 1 else { return nil }
            return comparisons[0].comparator == .listContains ? comparisons[0] : nil
        }
        guard let first = found.first, found.count == filters.count, found.allSatisfy({ $0.field == first.field }),
            case let type = first.value.fieldType, !type.isList,
            let list = FieldList(found.map(\.value), of: type.scalar)
        else { return nil }
        return CloudKitComparison(field: first.field, comparator: .notListContainsAll, value: .list(list))
    }

    private static func refusal(_ filter: Filter) -> CabinetError {
        let reason = filter.validateForCloudKit().first?.reason ?? "No comparator of Web Services says this."
        return CabinetError(.invalidArguments, "CloudKit Web Services cannot say '\(filter)': \(reason)")
    }

    private static func comparison(
        _ comparison: Filter.Comparison, isNegated: Bool
    ) throws(CabinetError) -> CloudKitComparison {
        let whole = isNegated ? Filter.not(.comparison(comparison)) : .comparison(comparison)
        guard comparison.options.isEmpty else { throw refusal(whole) }
        if let near = near(comparison), !isNegated { return near }
        // The field stands on either side.
        let isFlipped = comparison.left.cloudKitValue != nil
        let (field, constant) = isFlipped ? (comparison.right, comparison.left) : (comparison.left, comparison.right)
        guard let value = constant.cloudKitValue else { throw refusal(whole) }
        let comparator = isFlipped ? flipped(comparison, value) : direct(comparison, value)
        guard let comparator, let result = isNegated ? negations[comparator] : comparator else { throw refusal(whole) }
        switch field {
        case .field(let key) where isPlain(key):
            return CloudKitComparison(field: key, comparator: result, value: value)
        case .searchableText where comparator == .containsAnyTokens:
            return CloudKitComparison(comparator: result, value: value)
        default: throw refusal(whole)
        }
    }

    /// Whether a key is the name of a field, and not a path.
    private static func isPlain(_ key: Record.FieldKey) -> Bool { !key.contains { ".@".contains($0) } }

    /// The comparator for a comparison with the field on the left.
    private static func direct(_ comparison: Filter.Comparison, _ value: FieldValue) -> Self? {
        switch (comparison.operator, comparison.quantifier) {
        case (.equal, .single): .equals
        case (.notEqual, .single): .notEquals
        case (.lessThan, .single): .lessThan
        case (.lessThanOrEqual, .single): .lessThanOrEquals
        case (.greaterThan, .single): .greaterThan
        case (.greaterThanOrEqual, .single): .greaterThanOrEquals
        case (.in, .single) where value.fieldType.isList: .in
        case (.beginsWith, .single): .beginsWith
        case (.contains, .single), (.equal, .any): .listContains
        case (.in, .any) where value.fieldType.isList: .listContainsAny
        case (.beginsWith, .any): .listMemberBeginsWith
        case (.tokenMatches, .single): .containsAnyTokens
        default: nil
        }
    }

    /// The comparator for a comparison with the field on the right.
    private static func flipped(_ comparison: Filter.Comparison, _ value: FieldValue) -> Self? {
        guard comparison.quantifier == .single else { return nil }
        return switch comparison.operator {
        case .equal: .equals
        case .notEqual: .notEquals
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEquals
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEquals
        case .in: .listContains
        case .contains where value.fieldType.isList: .in
        default: nil
        }
    }

    private static let negations: [Self: Self] = [
        .equals: .notEquals, .notEquals: .equals, .in: .notIn, .beginsWith: .notBeginsWith,
        .listContains: .notListContains, .listContainsAny: .notListContainsAny,
        .listMemberBeginsWith: .notListMemberBeginsWith,
    ]

    /// The filter for a comparison of a distance with a radius.
    private static func near(_ comparison: Filter.Comparison) -> CloudKitComparison? {
        let sides =
            switch comparison.operator {
            case .lessThan, .lessThanOrEqual: (comparison.left, comparison.right)
            case .greaterThan, .greaterThanOrEqual: (comparison.right, comparison.left)
            default: (Filter.Expression.searchableText, Filter.Expression.searchableText)
            }
        guard case .distance(let from, let to) = sides.0, let radius = sides.1.cloudKitValue else { return nil }
        let distance: Double
        switch radius {
        case .double(let number): distance = number
        case .int64(let number): distance = Double(number)
        default: return nil
        }
        switch (from, to) {
        case (.field(let key), .constant(let value?)) where isPlain(key),
            (.constant(let value?), .field(let key)) where isPlain(key):
            // The service finds what is nearer than the radius.
            let isInclusive = [.lessThanOrEqual, .greaterThanOrEqual].contains(comparison.operator)
            return CloudKitComparison(
                field: key, comparator: .near, value: value, distance: isInclusive ? distance.nextUp : distance)
        default: return nil
        }
    }
}

extension Filter.Expression {
    /// The value of a constant.
    fileprivate var cloudKitValue: FieldValue? {
        if case .constant(let value?) = self { value } else { nil }
    }
}

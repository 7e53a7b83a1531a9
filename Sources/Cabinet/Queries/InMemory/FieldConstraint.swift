/// The values of a field that a filter allows, as far as an index can use it.
///
/// The constraint is a superset: every matching record has such a value in the field, and other records may have one
/// too. A store reads the records with these values from an index, and passes them to
/// ``QueryPlan/page(of:resolving:)``.
public struct FieldConstraint: Sendable, Hashable {
    /// The values, one of which the field must equal, or `nil` if the filter does not list them.
    ///
    /// An element that is `nil` stands for records without a value. If the array is empty, no record matches. Equal values can
    /// occur twice, also as 1 and 1.0: a store that searches for each of them finds the same records twice.
    public var values: [FieldValue?]?

    /// The lowest value, or `nil` if the filter sets none.
    ///
    /// The field's value equals it or comes after it in the order of a ``Sort``.
    public var lowest: FieldValue?

    /// The highest value, or `nil` if the filter sets none.
    ///
    /// The field's value equals it or comes before it in the order of a ``Sort``.
    public var highest: FieldValue?

    /// The beginning of the field's text, or `nil` if the filter sets none.
    public var beginning: String?

    /// Whether the filter allows any value.
    public var isEmpty: Bool { values == nil && lowest == nil && highest == nil && beginning == nil }

    /// Creates a constraint that allows any value.
    public init() {}
}

extension Filter {
    /// Returns the values of a field that the filter allows.
    ///
    /// The comparisons of the field with constants count, if the filter requires them: alone, in an AND, and in an OR all of whose
    /// branches list values. Comparisons that ignore case or accents, and those of lists' elements, do not count.
    ///
    /// Not-a-number as a constant equals nothing and has no order: a comparison with it allows no values.
    ///
    /// - Parameter key: The name of a field; not a system field, and not a key path.
    /// - Returns: The constraint; empty if the filter allows any value.
    /// - Complexity: O(*n*) in the size of the filter.
    public func constraint(on key: Record.FieldKey) -> FieldConstraint {
        switch self {
        case .constant(true), .not: return FieldConstraint()
        case .constant(false): return FieldConstraint(values: [])
        case .comparison(let comparison): return comparison.constraint(on: key)
        case .and(let children):
            return children.reduce(into: FieldConstraint()) { $0.formIntersection($1.constraint(on: key)) }
        case .or(let children):
            var values: [FieldValue?] = []
            for child in children {
                guard let more = child.constraint(on: key).values else { return FieldConstraint() }
                values += more
            }
            return FieldConstraint(values: values)
        }
    }
}

extension FieldConstraint {
    fileprivate init(values: [FieldValue?]) {
        self.values = values
    }

    /// Adds the conditions of another constraint that also holds.
    ///
    /// The result may allow more values than both together.
    fileprivate mutating func formIntersection(_ other: FieldConstraint) {
        // Fewer values need fewer searches.
        if let more = other.values, values.map({ more.count < $0.count }) ?? true { values = more }
        if let more = other.lowest, FieldValue.sortOrder(lowest, more) == .before { lowest = more }
        if let more = other.highest, highest.map({ FieldValue.sortOrder(more, $0) == .before }) ?? true {
            highest = more
        }
        if let more = other.beginning, more.utf8.count > beginning?.utf8.count ?? -1 { beginning = more }
    }
}

extension Filter.Comparison {
    fileprivate func constraint(on key: Record.FieldKey) -> FieldConstraint {
        guard quantifier == .single, options.isEmpty else { return FieldConstraint() }
        if case .field(key) = left { return Self.constraint(`operator`, right) }
        guard case .field(key) = right, let mirrored = `operator`.mirrored else { return FieldConstraint() }
        return Self.constraint(mirrored, left)
    }

    private static func constraint(_ operator: Filter.Operator, _ operand: Filter.Expression) -> FieldConstraint {
        var constraint = FieldConstraint()
        switch (`operator`, operand) {
        case (.equal, .constant(let value)):
            constraint.values = value?.isNotANumber == true ? [] : [value]
        case (.in, _):
            // Text on the right side is searched for the field's text.
            if case .constant(.string?) = operand { break }
            constraint.values = operand.constantElements?.filter { $0?.isNotANumber != true }
        case (.lessThan, .constant(let value?)), (.lessThanOrEqual, .constant(let value?)):
            constraint.setBounds(nil, value)
        case (.greaterThan, .constant(let value?)), (.greaterThanOrEqual, .constant(let value?)):
            constraint.setBounds(value, nil)
        case (.between, _):
            if let bounds = operand.constantElements, bounds.count == 2, let lowest = bounds[0], let highest = bounds[1]
            {
                constraint.setBounds(lowest, highest)
            }
        case (.beginsWith, .constant(.string(let beginning)?)):
            constraint.beginning = beginning
        default: break
        }
        return constraint
    }
}

extension FieldConstraint {
    fileprivate mutating func setBounds(_ lowest: FieldValue?, _ highest: FieldValue?) {
        if lowest?.isNotANumber == true || highest?.isNotANumber == true {
            values = []
        } else {
            self.lowest = lowest
            self.highest = highest
        }
    }
}

extension Filter.Expression {
    /// The elements of a list of constants; `nil` if something must be known or computed to have them.
    fileprivate var constantElements: [FieldValue?]? {
        switch self {
        case .constant(.list(let list)?): return list.elements
        case .list(let elements):
            var values: [FieldValue?] = []
            for element in elements {
                guard case .constant(let value) = element else { return nil }
                values.append(value)
            }
            return values
        default: return nil
        }
    }
}

extension Filter.Operator {
    /// The operator that means the same when both operands change sides; `nil` if no operator does.
    fileprivate var mirrored: Filter.Operator? {
        switch self {
        case .equal: .equal
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        default: nil
        }
    }
}

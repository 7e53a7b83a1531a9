#if canImport(ObjectiveC)
import Cabinet
import Foundation

extension Filter {
    /// Reads a comparison of Apple's Foundation, whose parts can be read.
    init(_ predicate: NSComparisonPredicate) throws {
        var comparison = Comparison(
            try Expression(predicate.leftExpression), try Operator(predicate.predicateOperatorType),
            try Expression(predicate.rightExpression))
        if predicate.options.contains(.caseInsensitive) { comparison.options.insert(.caseInsensitive) }
        if predicate.options.contains(.diacriticInsensitive) { comparison.options.insert(.diacriticInsensitive) }
        switch predicate.comparisonPredicateModifier {
        case .any: comparison.quantifier = .any
        case .all: comparison.quantifier = .all
        default: break
        }
        // The search for words is an operator of its own in Cabinet's language.
        if case .variable("SELF") = comparison.left, comparison.operator == .contains {
            comparison = Comparison(.searchableText, .tokenMatches, comparison.right)
        }
        self = .comparison(comparison)
    }
}

extension Filter.Operator {
    fileprivate init(_ type: NSComparisonPredicate.Operator) throws {
        switch type {
        case .lessThan: self = .lessThan
        case .lessThanOrEqualTo: self = .lessThanOrEqual
        case .greaterThan: self = .greaterThan
        case .greaterThanOrEqualTo: self = .greaterThanOrEqual
        case .equalTo: self = .equal
        case .notEqualTo: self = .notEqual
        case .matches: self = .matches
        case .like: self = .like
        case .beginsWith: self = .beginsWith
        case .endsWith: self = .endsWith
        case .in: self = .in
        case .contains: self = .contains
        case .between: self = .between
        default: throw CKError(.invalidArguments, "CloudKit does not have this operator of predicates.")
        }
    }
}

extension Filter.Expression {
    fileprivate init(_ expression: NSExpression) throws {
        switch expression.expressionType {
        case .constantValue:
            guard let value = expression.constantValue else {
                self = .constant(nil)
                return
            }
            self = .constant(try PredicateArgument(value)?.filterValue)
        case .keyPath: self = .field(expression.keyPath)
        case .evaluatedObject: self = .variable("SELF")
        case .aggregate:
            let elements = expression.collection as? [NSExpression] ?? []
            let values = try elements.map { try PredicateArgument($0.constantValue ?? NSNull())?.filterValue }
            let list = values.compactMap { $0 }
            if list.count == values.count, let type = list.first?.fieldType,
                let fields = FieldList(list, of: type.scalar)
            {
                self = .constant(.list(fields))
            } else {
                self = .list(values.map { .constant($0) })
            }
        case .function where expression.function == "distanceToLocation:fromLocation:":
            guard let arguments = expression.arguments, arguments.count == 2 else { throw Self.unsupported }
            self = .distance(try Self(arguments[0]), try Self(arguments[1]))
        case .function where expression.function == "now": self = .constant(.timestamp(Date()))
        default: throw Self.unsupported
        }
    }

    private static var unsupported: CKError {
        CKError(.invalidArguments, "CloudKit does not have this expression of predicates.")
    }
}
#endif

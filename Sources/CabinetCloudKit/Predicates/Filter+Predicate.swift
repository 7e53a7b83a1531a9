import Cabinet
import Foundation

extension Filter {
    /// Reads the filter that a predicate stands for, for another target of this package.
    package init(predicate: NSPredicate) throws { try self.init(predicate) }

    /// Reads the filter that a predicate stands for.
    ///
    /// - Throws: ``CKError/Code/invalidArguments`` for a predicate of a block, and for what the language does not have.
    init(_ predicate: NSPredicate) throws {
        if let compound = predicate as? NSCompoundPredicate {
            let children = try compound.subpredicates.map(Self.init(subpredicate:))
            switch compound.compoundPredicateType {
            case .and: self = children.joined(.constant(true)) { $0 && $1 }
            case .or: self = children.joined(.constant(false)) { $0 || $1 }
            case .not:
                guard let child = children.first else { throw Self.unreadable }
                self = !child
            @unknown default: throw Self.unreadable
            }
        } else if predicate.isEqual(NSPredicate(value: true)) {
            self = .constant(true)
        } else if predicate.isEqual(NSPredicate(value: false)) {
            self = .constant(false)
        } else {
            try self.init(simple: predicate)
            self = withElementsFound
        }
    }

    /// The filter with CloudKit's meaning of `ANY tags CONTAINS 'x'`: the list has the element `x`.
    ///
    /// In Cabinet's language, an element that contains `x` is enough.
    private var withElementsFound: Filter {
        switch self {
        case .comparison(var comparison):
            guard comparison.quantifier == .any, comparison.operator == .contains, case .field = comparison.left,
                case .constant(let value?) = comparison.right, !value.fieldType.isList
            else { return self }
            comparison.quantifier = .single
            return .comparison(comparison)
        case .and(let children): return .and(children.map(\.withElementsFound))
        case .or(let children): return .or(children.map(\.withElementsFound))
        case .not(let child): return .not(child.withElementsFound)
        case .constant: return self
        }
    }

    // Apple's Foundation declares the subpredicates as `Any`.
    private init(subpredicate: Any) throws {
        guard let predicate = subpredicate as? NSPredicate else { throw Self.unreadable }
        try self.init(predicate)
    }

    private static var unreadable: CKError {
        CKError(.invalidArguments, "CloudKit takes no predicates of blocks. Use NSPredicate(format:).")
    }

    #if canImport(ObjectiveC)
    private init(simple predicate: NSPredicate) throws {
        guard let comparison = predicate as? NSComparisonPredicate else { throw Self.unreadable }
        try self.init(comparison)
    }
    #else
    private init(simple predicate: NSPredicate) throws {
        let probe = PredicateProbe()
        _ = predicate.evaluate(with: probe)
        guard let format = probe.format else { throw Self.unreadable }
        try self.init(format: format, objects: probe.arguments)
    }
    #endif

    /// Reads a filter from a format with objects as arguments.
    init(format: String, objects: [Any]) throws {
        try self.init(format: format, arguments: objects.map { try PredicateArgument($0) })
    }
}

extension [Filter] {
    fileprivate func joined(_ empty: Filter, _ join: (Filter, Filter) -> Filter) -> Filter {
        guard let first else { return empty }
        return dropFirst().reduce(first, join)
    }
}

/// An object that a program passes as the argument of a format.
struct PredicateArgument: FilterArgument {
    let filterValue: FieldValue?

    /// Creates an argument, or returns `nil` for an object that stands for nil.
    init?(_ object: Any) throws {
        if object is NSNull { return nil }
        let unwrapped: Any
        if let optional = object as? any OptionalValue {
            guard let wrapped = optional.wrapped else { return nil }
            unwrapped = wrapped
        } else {
            unwrapped = object
        }
        if let set = unwrapped as? NSSet {
            filterValue = FieldValue(object: set.allObjects)
        } else {
            filterValue = FieldValue(object: unwrapped)
        }
        if filterValue == nil {
            throw CKError(
                .invalidArguments,
                "A predicate cannot have an argument of type \(type(of: unwrapped)). CloudKit compares strings, numbers, "
                    + "dates, data, references, records, locations, and lists of them.")
        }
    }
}

/// An optional whose type is unknown.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { self }
}

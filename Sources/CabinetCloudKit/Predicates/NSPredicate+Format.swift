import Cabinet
public import Foundation

#if !canImport(ObjectiveC)
/// `NSPredicate(format:)`, which Foundation does not have on platforms without Objective-C.
extension NSPredicate {
    /// Creates a predicate from a format string.
    ///
    /// A malformed format fails when the predicate is used, with the position of the mistake.
    ///
    /// - Parameters:
    ///   - predicateFormat: The text, in which `%@`, `%K`, `%d` and `%f` stand for the arguments.
    ///   - arguments: The values, in the order of the specifiers.
    public convenience init(format predicateFormat: String, _ arguments: Any...) {
        self.init(format: predicateFormat, argumentArray: arguments)
    }

    /// Creates a predicate from a format string with a list as its only argument, which Swift would pass as several arguments.
    ///
    /// - Parameters:
    ///   - predicateFormat: The text, in which `%@` stands for the list, as in `name IN %@`.
    ///   - list: The list.
    public convenience init(format predicateFormat: String, _ list: [Any]) {
        self.init(format: predicateFormat, argumentArray: [list])
    }

    /// Creates a predicate from a format string, with the arguments in an array.
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        let arguments = arguments ?? []
        self.init(block: { object, variables in
            if let probe = object as? PredicateProbe {
                probe.format = predicateFormat
                probe.arguments = arguments
                return false
            }
            return Self.evaluate(predicateFormat, arguments, on: object, variables)
        })
    }

    private static func evaluate(
        _ format: String, _ arguments: [Any], on object: Any?, _ variables: [String: Any]?
    ) -> Bool {
        guard let record = object as? CKRecord, let filter = try? Filter(format: format, objects: arguments) else {
            return false
        }
        return (try? filter.resolvingUser(record.user).matches(record.value)) ?? false
    }
}
#endif

extension NSPredicate {
    /// Creates the predicate of a filter.
    convenience init(filter: Filter) {
        self.init(format: filter.description, argumentArray: [])
    }
}

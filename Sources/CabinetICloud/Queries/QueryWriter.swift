import Cabinet
import CloudKit
import CoreLocation
import Foundation

/// Writes queries as CloudKit's, if CloudKit can say them.
struct QueryWriter {
    /// The record name of the user.
    let user: String?

    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the part that CloudKit cannot say.
    func query(_ query: Query) throws(CabinetError) -> CKQuery {
        if let refused = query.validateForCloudKit().first {
            throw CloudKitGap.query.error("\(refused)", .invalidArguments)
        }
        let isOfShares = query.recordType == CKRecord.SystemType.share
        if !isOfShares, let violation = NameRule.recordType.violation(in: query.recordType) { throw violation }
        let object = CKQuery(recordType: query.recordType, predicate: try predicate(query.filter))
        var descriptors: [NSSortDescriptor] = []
        for sort in query.sortDescriptors { descriptors.append(try descriptor(sort)) }
        if !descriptors.isEmpty { object.sortDescriptors = descriptors }
        return object
    }

    private func descriptor(_ sort: Sort) throws(CabinetError) -> NSSortDescriptor {
        guard let origin = sort.origin else { return NSSortDescriptor(key: sort.key, ascending: sort.ascending) }
        guard sort.ascending else {
            throw CloudKitGap.query.error("It sorts by distance with the nearest first alone.", .invalidArguments)
        }
        return CKLocationSortDescriptor(key: sort.key, relativeLocation: origin.object)
    }

    /// Returns the predicate of a filter.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` with the part that CloudKit cannot say.
    func predicate(_ filter: Filter) throws(CabinetError) -> NSPredicate {
        if let refused = filter.validateForCloudKit().first {
            throw CloudKitGap.query.error("\(refused)", .invalidArguments)
        }
        switch filter {
        case .constant(let value): return NSPredicate(value: value)
        case .and([]): return NSPredicate(value: true)
        default: break
        }
        var text = PredicateText(user: user)
        try text.write(filter)
        return NSPredicate(format: text.format, argumentArray: text.arguments)
    }
}

/// The format of a predicate, with the arguments that its specifiers stand for.
///
/// CloudKit compares objects, such as references, which no format can spell.
private struct PredicateText {
    let user: String?
    var format = ""
    var arguments: [Any] = []

    init(user: String?) {
        self.user = user
    }

    mutating func write(_ filter: Filter) throws(CabinetError) {
        switch filter {
        case .constant(let value): format += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let children):
            if children.isEmpty { format += "TRUEPREDICATE" }
            for (position, child) in children.enumerated() {
                format += position > 0 ? " AND (" : "("
                try write(child)
                format += ")"
            }
        case .not(let child):
            format += "NOT ("
            try write(child)
            format += ")"
        case .comparison(let comparison): try write(comparison, of: filter)
        case .or: throw refusal(filter)
        }
    }

    private mutating func write(_ comparison: Filter.Comparison, of filter: Filter) throws(CabinetError) {
        guard let symbol = Self.symbols[comparison.operator] else { throw refusal(filter) }
        if comparison.quantifier == .any { format += "ANY " }
        try write(comparison.left, of: filter)
        format += " \(symbol) "
        try write(comparison.right, of: filter)
    }

    private static let symbols: [Filter.Operator: String] = [
        .equal: "==", .notEqual: "!=", .lessThan: "<", .lessThanOrEqual: "<=", .greaterThan: ">",
        .greaterThanOrEqual: ">=", .between: "BETWEEN", .in: "IN", .contains: "CONTAINS", .beginsWith: "BEGINSWITH",
        .tokenMatches: "CONTAINS",
    ]

    private mutating func write(_ operand: Filter.Expression, of filter: Filter) throws(CabinetError) {
        switch operand {
        case .field(let key):
            format += "%K"
            arguments.append(key)
        case .searchableText: format += "self"
        case .constant(let value?):
            format += "%@"
            arguments.append(object(value))
        case .list(let elements):
            var values: [FieldValue] = []
            for element in elements {
                guard case .constant(let value?) = element, !value.fieldType.isList else { throw refusal(filter) }
                values.append(value)
            }
            // A list of CloudKit has elements of one type; whole numbers beside fractions count as these.
            let types = Set(values.map(\.fieldType))
            let areNumbers = types == [.int64, .double] && values.allSatisfy(\.isDouble)
            guard types.count <= 1 || areNumbers else { throw refusal(filter) }
            format += "%@"
            arguments.append(values.map(object))
        case .distance(let from, let to):
            format += "distanceToLocation:fromLocation:("
            try write(from, of: filter)
            format += ", "
            try write(to, of: filter)
            format += ")"
        default: throw refusal(filter)
        }
    }

    private func refusal(_ filter: Filter) -> CabinetError {
        CloudKitGap.query.error("\(filter)", .invalidArguments)
    }

    private func object(_ value: FieldValue) -> Any {
        switch value {
        case .string(let value): value
        case .int64(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .timestamp(let value): value
        case .bytes(let value): value
        case .encrypted: NSNull()
        case .reference(let value): CKRecord.Reference(recordID: value.recordID.object(user: user), action: .none)
        case .location(let value): value.object
        case .asset(let value): value.fileURL.map(CKAsset.init(fileURL:)) ?? NSNull()
        case .list(let list): list.elements.map(object)
        }
    }
}

extension FieldValue {
    /// Whether a double equals the number.
    fileprivate var isDouble: Bool {
        switch self {
        case .int64(let number): Double(exactly: number) != nil
        case .double: true
        default: false
        }
    }
}

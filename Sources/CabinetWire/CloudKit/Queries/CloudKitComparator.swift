import Cabinet

/// The comparators of filters.
enum CloudKitComparator: String, CaseIterable {
    case equals = "EQUALS"
    case notEquals = "NOT_EQUALS"
    case lessThan = "LESS_THAN"
    case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
    case near = "NEAR"
    case `in` = "IN"
    case notIn = "NOT_IN"
    case beginsWith = "BEGINS_WITH"
    case notBeginsWith = "NOT_BEGINS_WITH"
    case containsAllTokens = "CONTAINS_ALL_TOKENS"
    case containsAnyTokens = "CONTAINS_ANY_TOKENS"
    case listContains = "LIST_CONTAINS"
    case notListContains = "NOT_LIST_CONTAINS"
    case listContainsAny = "LIST_CONTAINS_ANY"
    case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
    case listContainsAll = "LIST_CONTAINS_ALL"
    case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
    case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
    case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
    /// Occurs in recorded traffic instead of `LIST_CONTAINS_ANY`.
    case containsAny = "CONTAINS_ANY"

    /// Whether the value is a list.
    private var takesList: Bool {
        switch self {
        case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll, .containsAny:
            true
        default: false
        }
    }

    /// Reads a filter.
    static func filter(_ node: JSONNode, _ reader: inout CloudKitValueReader) throws(CabinetError) -> Filter {
        let name = try node.required("comparator")
        guard let comparator = Self(rawValue: try name.string()) else {
            throw name.error(expected: "a comparator such as EQUALS")
        }
        let key = try CloudKitFieldName.read(node, fields: reader.fields)
        let isSearch = comparator == .containsAllTokens || comparator == .containsAnyTokens
        guard key != nil || isSearch else { throw node.missing("fieldName") }
        let value = try comparator.value(node, key, &reader)
        let field = key.map(Filter.Expression.field) ?? .searchableText
        return try comparator.filter(field, value, distance: node["distance"], node)
    }

    /// Reads the value, whose type may be missing.
    ///
    /// Clients omit the type of a list, too, or give that of its elements. The field's own type is that of a list for comparators of
    /// lists, and of an element otherwise.
    private func value(
        _ node: JSONNode, _ key: Record.FieldKey?, _ reader: inout CloudKitValueReader
    ) throws(CabinetError) -> FieldValue {
        let field = try node.required("fieldValue")
        let isTyped = field.kind == .object && field.has("value")
        let content = isTyped ? try field.required("value") : field
        var type =
            isTyped ? try field["type"].map { node throws(CabinetError) in try CloudKitType.type(node) } ?? nil : nil
        let zoneID = reader.zoneID
        defer { reader.zoneID = zoneID }
        // A date, a user and the record's own name have a type that the JSON does not show, or shows as that of a text.
        if let key, let system = SystemField(rawValue: key) {
            type = system.fieldType
            // The records of users are in the default zone, also in a query of another zone.
            if system.isUser { reader.zoneID = .default }
        }
        if type == nil, let key { type = reader.fields[key] }
        let isList = content.kind == .array
        if takesList, !isList { throw content.error(expected: "an array for \(rawValue)") }
        type = type.map { FieldType($0.scalar, isList: isList) }
        guard let value = try reader.read(content, as: type) else {
            if takesList { return .list(.string([])) }
            throw content.error(expected: "a value")
        }
        return value
    }

    private func filter(
        _ field: Filter.Expression, _ value: FieldValue, distance: JSONNode?, _ node: JSONNode
    ) throws(CabinetError) -> Filter {
        let constant = Filter.Expression.constant(value)
        func compare(_ operator: Filter.Operator, _ quantifier: Filter.Quantifier = .single) -> Filter {
            .comparison(.init(field, `operator`, constant, quantifier: quantifier))
        }
        switch self {
        case .equals: return compare(.equal)
        case .notEquals: return compare(.notEqual)
        case .lessThan: return compare(.lessThan)
        case .lessThanOrEquals: return compare(.lessThanOrEqual)
        case .greaterThan: return compare(.greaterThan)
        case .greaterThanOrEquals: return compare(.greaterThanOrEqual)
        case .in: return compare(.in)
        case .notIn: return .not(compare(.in))
        case .beginsWith: return compare(.beginsWith)
        case .notBeginsWith: return .not(compare(.beginsWith))
        case .listContains: return compare(.equal, .any)
        case .notListContains: return .not(compare(.equal, .any))
        case .listContainsAny, .containsAny: return compare(.in, .any)
        case .notListContainsAny: return .not(compare(.in, .any))
        case .listMemberBeginsWith: return compare(.beginsWith, .any)
        case .notListMemberBeginsWith: return .not(compare(.beginsWith, .any))
        case .containsAnyTokens: return compare(.tokenMatches)
        case .listContainsAll, .notListContainsAll:
            let all = Self.all(
                elements(value).map { .comparison(.init(field, .equal, .constant($0), quantifier: .any)) })
            return self == .listContainsAll ? all : .not(all)
        case .containsAllTokens:
            guard case .string(let text) = value else { throw node.error(expected: "a text to search for") }
            let tokens = SearchTokens.tokens(in: text)
            // A text without words finds nothing, as with the other search.
            if tokens.isEmpty { return compare(.tokenMatches) }
            return Self.all(tokens.map { .comparison(.init(field, .tokenMatches, .constant(.string($0)))) })
        case .near:
            guard let radius = try distance?.double() else { throw node.missing("distance") }
            return .comparison(.init(.distance(field, constant), .lessThan, .constant(.double(radius))))
        }
    }

    private static func all(_ filters: [Filter]) -> Filter { filters.count == 1 ? filters[0] : .and(filters) }

    private func elements(_ value: FieldValue) -> [FieldValue] {
        if case .list(let list) = value { list.elements } else { [value] }
    }
}

extension SystemField {
    /// Whether the values are users.
    fileprivate var isUser: Bool { self == .creatorUserRecordID || self == .lastModifiedUserRecordID }
}

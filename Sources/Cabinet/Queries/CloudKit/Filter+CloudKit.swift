extension Filter {
    /// Lists the parts of the filter that CloudKit's own service would refuse.
    ///
    /// Cabinet accepts the whole language on every backend. Call this method in programs whose queries must also run on
    /// CloudKit. It follows CloudKit's documentation: a part that no source documents is reported, with that reason.
    /// One difference cannot be reported, because nothing is refused: CloudKit is documented to compare text for
    /// equality without regard to case. See <doc:MigratingPredicates>.
    ///
    /// - Parameter fields: The types of the records' fields. Without them, `tags CONTAINS 'x'` and `'x' IN tags` count
    ///   as questions about a list, which CloudKit answers. For a text field, it answers neither.
    /// - Returns: One incompatibility for each smallest part that would be refused, from left to right. The array is
    ///   empty if the service would accept the filter.
    /// - Complexity: O(*n*) in the size of the filter.
    public func validateForCloudKit(fields: FieldTypes? = nil) -> [CloudKitIncompatibility] {
        if !isShallow { return [incompatibility("The filter is nested too deeply to be used at all.")] }
        // A constant is documented as a whole filter only.
        if case .constant = self { return [] }
        return incompatibilities(fields: fields)
    }

    private func incompatibilities(fields: FieldTypes?) -> [CloudKitIncompatibility] {
        switch self {
        case .constant:
            return [incompatibility("CloudKit takes TRUEPREDICATE and FALSEPREDICATE as a whole filter only.")]
        case .comparison(let comparison):
            return comparison.reasonForCloudKit(fields: fields).map { [incompatibility($0)] } ?? []
        case .and(let children):
            return children.flatMap { $0.incompatibilities(fields: fields) }
        case .or(let children):
            return [incompatibility("CloudKit joins filters by AND alone, so that an OR has to be several queries.")]
                + children.flatMap { $0.incompatibilities(fields: fields) }
        case .not(let child):
            let incompatibilities = child.incompatibilities(fields: fields)
            // A child that is refused without the NOT is reported once. An AND is not reported itself.
            guard let reason = child.reasonAgainstNegation else { return incompatibilities }
            if case .comparison = child, !incompatibilities.isEmpty { return incompatibilities }
            return [incompatibility(reason)] + incompatibilities
        }
    }

    private var reasonAgainstNegation: String? {
        switch self {
        case .and: "CloudKit takes no NOT before an AND."
        case .comparison(let comparison) where comparison.left == .searchableText:
            "CloudKit takes no NOT before a search for words."
        case .comparison(let comparison) where comparison.operator == .between: "CloudKit takes no NOT before BETWEEN."
        case .comparison(let comparison) where comparison.left.isDistance || comparison.right.isDistance:
            "CloudKit takes no NOT before a comparison of distances."
        case .constant, .comparison, .or, .not: nil
        }
    }

    private func incompatibility(_ reason: String) -> CloudKitIncompatibility {
        CloudKitIncompatibility(part: .filter(self), reason: reason)
    }
}

extension Filter.Comparison {
    /// Returns the reason why CloudKit would refuse the comparison, or `nil` if it would not.
    fileprivate func reasonForCloudKit(fields: FieldTypes?) -> String? {
        left.reasonForCloudKit ?? right.reasonForCloudKit ?? reasonAgainstQuantifier ?? reasonAgainstOperator
            ?? reasonAgainstOptions ?? reasonAgainstOperands(fields: fields)
    }

    private var reasonAgainstQuantifier: String? {
        switch (quantifier, `operator`) {
        case (.single, _), (.any, .equal), (.any, .in), (.any, .beginsWith): nil
        // Cabinet would find parts of the elements.
        case (.any, .contains):
            "CloudKit finds an element by ANY with CONTAINS, and no part of one; write CONTAINS without ANY."
        case (.any, _):
            "No source says that CloudKit takes ANY with another operator than ==, IN and BEGINSWITH."
        case (.all, _): "CloudKit takes no ALL."
        case (.none, _): "CloudKit takes no NONE; write NOT before an ANY instead."
        }
    }

    private var reasonAgainstOperator: String? {
        switch `operator` {
        case .endsWith, .like, .matches: "CloudKit takes no \(rule.symbol); of text it knows the beginning alone."
        case .search: "CloudKit takes no SEARCH; it finds one of several whole words, by SELF CONTAINS."
        case .tokenMatches where left != .searchableText:
            "CloudKit searches all searchable fields for words, and none alone; write SELF CONTAINS instead."
        default: nil
        }
    }

    private var reasonAgainstOptions: String? {
        guard !options.isEmpty else { return nil }
        return switch `operator` {
        case .equal, .notEqual:
            "CloudKit takes no options; without them its equality of text is documented to ignore case, but not accents."
        default: "CloudKit takes no options such as [\(options.text)]."
        }
    }

    private func reasonAgainstOperands(fields: FieldTypes?) -> String? {
        if left.isDistance || right.isDistance { return reasonAgainstDistance }
        let constants = [left, right].compactMap(\.cloudKitConstant)
        guard constants.count == 1, let constant = constants.first else {
            return "CloudKit compares a field with a constant, and this comparison has "
                + (constants.isEmpty ? "no constant." : "no field.")
        }
        if left == .searchableText || right == .searchableText {
            return constant.isText ? nil : "CloudKit searches for words of a text."
        }
        if constant.holdsNil { return "No source says that CloudKit compares with nil." }
        if constant.holdsAsset { return "CloudKit takes no files as constants." }
        let fieldIsOnLeft = left.cloudKitConstant == nil
        switch `operator` {
        case .between, .beginsWith:
            return fieldIsOnLeft
                ? nil : "CloudKit takes \(rule.symbol) with the field on its left side and a constant on the right one."
        case .contains where !fieldIsOnLeft && !constant.isText:
            return "No source says that CloudKit takes CONTAINS with a constant list; write IN instead."
        case .contains, .in:
            // The collection is the left one of CONTAINS, and the right one of IN.
            let collection = `operator` == .contains ? left : right
            let isPartOfText = collection.cloudKitConstant?.isText ?? collection.isKnownText(fields: fields)
            return isPartOfText ? "CloudKit finds no part of a text; \(rule.symbol) asks it about lists alone." : nil
        default:
            return nil
        }
    }

    private var reasonAgainstDistance: String? {
        let (distance, radius) = left.isDistance ? (left, right) : (right, left)
        let inside: [Filter.Operator] =
            left.isDistance ? [.lessThan, .lessThanOrEqual] : [.greaterThan, .greaterThanOrEqual]
        let places = distance.operands.compactMap(\.cloudKitConstant)
        guard places.count == 1, places.allSatisfy(\.isPlace), radius.cloudKitConstant?.isNumber == true,
            inside.contains(`operator`)
        else {
            return
                "CloudKit compares distances in one form alone: from a field to a constant location, less than a constant."
        }
        return nil
    }
}

extension Query {
    /// Lists the parts of the query that CloudKit's own service would refuse: parts of its filter, and sort keys.
    ///
    /// CloudKit also needs an index of each field that the query names. Indexes are not part of a query, and are not
    /// checked.
    ///
    /// - Parameter fields: The types of the records' fields; see ``Filter/validateForCloudKit(fields:)``.
    /// - Returns: One incompatibility for each smallest part that would be refused. The array is empty if the service
    ///   would accept the query.
    /// - Complexity: O(*n*) in the size of the query.
    public func validateForCloudKit(fields: FieldTypes? = nil) -> [CloudKitIncompatibility] {
        filter.validateForCloudKit(fields: fields)
            + sortDescriptors.compactMap { sort in
                sort.reasonForCloudKit.map { CloudKitIncompatibility(part: .sort(sort), reason: $0) }
            }
    }
}

extension Sort {
    /// The reason why CloudKit would refuse the sort key, or `nil` if it would not.
    fileprivate var reasonForCloudKit: String? {
        if isByRelevance { return "CloudKit sorts by fields alone, and knows no relevance." }
        if let reason = Filter.Expression.reason(against: key) { return reason }
        return options.isEmpty ? nil : "CloudKit sorts text in one way alone, and takes no options."
    }
}

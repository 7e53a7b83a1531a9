extension Filter {
    /// Checks that a filter is valid for the fields of a record type.
    ///
    /// The check finds every failure that does not depend on the records, so that a query fails alike on every backend,
    /// even without records. Such failures are operands of a type that their operator does not take, values that no
    /// field can hold, and trees that are too deep. Comparing a text with a number does not fail: the comparison is
    /// false.
    ///
    /// - Parameter fields: The types of the records' fields. A field that is not among them is `nil` in every record.
    /// - Throws: ``CabinetError/Code/invalidArguments``, with the comparison, its fault, and the expected operands; and
    ///   ``CabinetError/Code/limitExceeded``, if a regular expression is too large or the work of the request is spent.
    public func validate(fields: FieldTypes) throws {
        try validateDepth()
        try forEachComparison { try $0.validate(fields: fields) }
    }

    /// The fields, system fields and key paths that the filter reads.
    public var fieldKeys: Set<Record.FieldKey> {
        var keys: Set<Record.FieldKey> = []
        forEachOperand { if case .field(let key) = $0 { keys.insert(key) } }
        return keys
    }

    /// Returns the fields and system fields that a record needs so that the filter can be evaluated for it.
    ///
    /// For a key path, this is the first step. The evaluator asks for the records that references point to by ID; see
    /// ``CompiledFilter/Resolver``.
    ///
    /// - Parameter fields: The types of the records' fields, which also determine the fields that a search for words
    ///   reads.
    public func keysToFetch(in fields: FieldTypes) -> Set<Record.FieldKey> {
        var keys: Set<Record.FieldKey> = []
        forEachOperand { operand in
            switch operand {
            case .field(let key): if let path = try? FieldPath(key) { keys.insert(path.first) }
            case .searchableText: keys.formUnion(fields.searchable)
            default: break
            }
        }
        return keys
    }

    /// Whether the filter has a key path to other records or counts them, so that a change of another record may change its result.
    var hasPaths: Bool {
        var hasPaths = false
        forEachOperand { operand in
            switch operand {
            case .field(let key): hasPaths = hasPaths || FieldPath.leadsToOthers(key)
            case .member, .referring: hasPaths = true
            default: break
            }
        }
        return hasPaths
    }

    /// Whether the filter may have a key path to a user's own record.
    var leadsToUsers: Bool {
        var leadsToUsers = false
        forEachOperand { operand in
            switch operand {
            case .field(let key): leadsToUsers = leadsToUsers || FieldPath.leadsToUser(key)
            case .member: leadsToUsers = true
            case .referring(_, _, let filter): leadsToUsers = leadsToUsers || filter.leadsToUsers
            default: break
            }
        }
        return leadsToUsers
    }

    /// The units of work that the filter counts for each record: its comparisons, and its operands that are not
    /// constants.
    var unitsPerRecord: Int {
        var count = 0
        forEachComparison { _ in count += 1 }
        forEachOperand { operand in
            if case .constant = operand { return }
            count += 1
        }
        return count
    }

    /// The units of work for compiling the filter, and those of the records that it counts.
    var unitsToCompile: Int {
        var units = unitsPerRecord + constantBytes / 4
        forEachOperand { if case .referring(_, _, let filter) = $0 { units += filter.unitsToCompile } }
        return units
    }

    /// The approximate number of bytes of the constants.
    var constantBytes: Int {
        var count = 0
        forEachOperand { operand in
            if case .constant(let value) = operand { count += value?.byteCount ?? 1 }
        }
        return count
    }

    func forEachOperand(_ body: (Expression) -> Void) {
        forEachComparison { $0.allOperands.forEach(body) }
    }

    func forEachComparison<Failure: Error>(_ body: (Comparison) throws(Failure) -> Void) throws(Failure) {
        switch self {
        case .constant: break
        case .comparison(let comparison): try body(comparison)
        case .and(let children), .or(let children):
            for child in children { try child.forEachComparison(body) }
        case .not(let child): try child.forEachComparison(body)
        }
    }
}

extension Filter.Expression {
    /// Refuses expressions that have no meaning as an operand of any operator.
    fileprivate func validate(in comparison: Filter.Comparison, fields: FieldTypes) throws(CabinetError) {
        for operand in operands { try operand.validate(in: comparison, fields: fields) }
        switch self {
        case .constant(.encrypted(let value)):
            throw comparison.error("A filter cannot have a value of type \(value.fieldType).")
        case .constant, .list: break
        case .field(let key):
            try comparison.validatePath {
                if FieldPath.isLong(key) { _ = try fields.type(of: FieldPath(key)) }
                _ = try fields[key]?.readable(key)
            }
        case .member(_, let member):
            try comparison.validatePath {
                _ = try FieldPath.steps(of: member)
                _ = try computedKind(in: fields)
            }
        case .element, .arithmetic, .negative, .distance:
            try comparison.validatePath { try computedKind(in: fields) }
        case .referring(let type, let field, let filter):
            if let message = fields.refusal(ofReferencesFrom: type, by: field) { throw comparison.error(message) }
            try filter.validateReferring(in: fields.types(of: type))
        case .variable(let name):
            throw comparison.error("The variable $\(name) has no value. Put one in before the filter is used.")
        case .searchableText, .unstorable:
            if let refusal { throw comparison.error(refusal) }
        }
    }

    /// The reason why the operand has no meaning in any filter, or `nil` if it may have one.
    var refusal: String? {
        switch self {
        case .searchableText:
            "The words of all text fields can be searched for, as in SELF CONTAINS 'milk'; they cannot be operands of anything else."
        case .unstorable(let text):
            "No field can hold \(text), so none can be compared with it; "
                + "expected text, a number that fits 64 bits, a date, data, a reference, a location, or a flat list of one of them."
        default: nil
        }
    }
}

extension Filter.Comparison {
    /// The operands, and the operands of their computations.
    var allOperands: [Filter.Expression] {
        var found: [Filter.Expression] = []
        var operands = [left, right]
        while let operand = operands.popLast() {
            found.append(operand)
            operands += operand.operands
        }
        return found
    }

    /// Checks the comparison of a filter that is not too deep.
    func validate(fields: FieldTypes) throws(CabinetError) {
        try validateOperands(fields: fields)
        if let message = typeError(fields: fields) { throw error(message) }
        guard case .constant(let value) = right else { return }
        let folded = FilterValue(value).folded(rule.folding(options))
        if let failure = rule.valueError(about: folded) { throw error(failure.message, failure.code) }
    }

    fileprivate func validateOperands(fields: FieldTypes) throws(CabinetError) {
        // The searchable text may only be the left operand of a search.
        let isSearch = left == .searchableText && `operator`.findsWords && quantifier == .single
        for operand in isSearch ? [right] : [left, right] { try operand.validate(in: self, fields: fields) }
    }

    /// Turns errors and failures about a path or types into errors about the comparison.
    fileprivate func validatePath<Result>(_ body: () throws -> Result) throws(CabinetError) {
        do {
            _ = try body()
        } catch let failure as PathType.Failure {
            throw error("\(failure.message).")
        } catch {
            throw self.error((error as? CabinetError)?.message ?? "\(error)")
        }
    }

    /// Returns the fault of the comparison for the fields of a record type, or `nil` if it has none.
    fileprivate func typeError(fields: FieldTypes) -> String? {
        let right = OperandType(self.right, fields: fields)
        guard let compared = OperandType.compared(in: self, fields: fields) else {
            let left = OperandType(self.left, fields: fields)
            return "\(quantifier.word ?? "") takes a list on its left side; \(left.finding)."
        }
        for left in compared {
            if let message = rule.typeError(left, right) { return message }
        }
        return nil
    }

    /// Returns the error that something is wrong with this comparison.
    func error(_ message: String, _ code: CabinetError.Code = .invalidArguments) -> CabinetError {
        var operands = [right, left]
        var field: Record.FieldKey?
        while field == nil, let operand = operands.popLast() {
            if case .field(let key) = operand { field = key }
            operands += operand.operands.reversed()
        }
        let text = "\(prefix)\(left.abbreviated) \(symbol) \(right.abbreviated)"
        return CabinetError(code, "\(message) The comparison is: \(text)", fieldKey: field)
    }
}

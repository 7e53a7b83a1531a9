/// The meaning of an operator.
///
/// To add an operator, add a case to ``Filter/Operator``, a file with its rule in this folder, a line below, and its
/// translation in the backends that translate.
protocol OperatorRule: SendableMetatype {
    /// The spellings of the operator in format strings, with words in capitals.
    ///
    /// Descriptions use the first one.
    static var spellings: [String] { get }

    /// Returns the fault of the operands' types, as a sentence, or `nil` if there is none.
    ///
    /// The fault is found before any record is read, so that every backend fails alike, even without records.
    static func typeError(_ left: OperandType, _ right: OperandType) -> String?

    /// Returns the error about a constant on the right side, or `nil` if there is none.
    ///
    /// Its code is ``CabinetError/Code/limitExceeded`` if the constant takes too much work, and otherwise
    /// ``CabinetError/Code/invalidArguments``.
    static func valueError(about right: FilterValue) -> CabinetError?

    /// Returns the options that operands are folded with before the comparison.
    ///
    /// The operator applies the others itself.
    static func folding(_ options: Filter.Options) -> Filter.Options

    /// Whether the comparison holds for two values.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` where the language says that evaluation fails.
    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool

    /// Returns a closure that compares left values with one right value.
    ///
    /// The default calls ``holds(_:_:)``. An operator that can prepare the right value returns a faster one.
    static func judge(_ right: FilterValue) -> FilterJudge

    /// Returns a closure that evaluates the comparison for records.
    ///
    /// The default calls ``judge(_:)`` and ``holds(_:_:)``. An operator with a faster way for fields returns another
    /// one.
    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test
}

extension OperatorRule {
    static func valueError(about right: FilterValue) -> CabinetError? { nil }

    /// Returns the fault of an ASSET that is compared with a value; `nil` if no operand is one.
    static func assetError(_ operands: OperandType...) -> String? {
        operands.first(where: \.isAsset).map { "An ASSET can be compared with NIL alone, and \($0.finding)." }
    }

    static func folding(_ options: Filter.Options) -> Filter.Options { options }

    static func judge(_ right: FilterValue) -> FilterJudge {
        { left in try holds(left, right) }
    }

    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        if let constant = right.constant {
            let judge = judge(constant)
            return { record, positions, resolver in try judge(left.value(in: record, at: positions, resolver)) }
        }
        return { record, positions, resolver in
            try holds(left.value(in: record, at: positions, resolver), right.value(in: record, at: positions, resolver))
        }
    }

    /// The spelling that messages and descriptions use.
    static var symbol: String { spellings.first ?? "" }
}

extension Filter.Operator {
    /// The rule of the operator.
    var rule: any OperatorRule.Type {
        switch self {
        case .equal: Equal.self
        case .notEqual: NotEqual.self
        case .lessThan: LessThan.self
        case .lessThanOrEqual: LessThanOrEqual.self
        case .greaterThan: GreaterThan.self
        case .greaterThanOrEqual: GreaterThanOrEqual.self
        case .between: Between.self
        case .in: In.self
        case .contains: Contains.self
        case .beginsWith: BeginsWith.self
        case .endsWith: EndsWith.self
        case .like: Like.self
        case .matches: Matches.self
        case .tokenMatches: TokenMatches.self
        case .search: Search.self
        }
    }

    /// The operators by their spellings, words in capitals.
    static let bySpelling: [String: Filter.Operator] = Dictionary(
        allCases.flatMap { candidate in candidate.rule.spellings.map { ($0, candidate) } },
        uniquingKeysWith: { first, _ in first })
}

extension Filter.Comparison {
    /// The rule of the comparison's operator under its options.
    var rule: any OperatorRule.Type {
        `operator` == .matches && options.contains(.caseInsensitive) ? MatchesInAnyCase.self : `operator`.rule
    }
}

/// Compares a left value with a right one that is known.
typealias FilterJudge = @Sendable (_ left: FilterValue) throws -> Bool

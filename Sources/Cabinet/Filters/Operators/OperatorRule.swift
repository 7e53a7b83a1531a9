/// What an operator means.
///
/// To add one: a case in ``Filter/Operator``, a file with its rule beside this one, a line below, and its translation
/// in the backends that translate.
protocol OperatorRule: SendableMetatype {
    /// How format strings spell the operator; the first one is what descriptions use. Words are in capitals.
    static var spellings: [String] { get }

    /// What is wrong with the types of the operands, as a sentence; `nil` if nothing is.
    ///
    /// What is found here is found before any record is seen, so that every backend fails alike, also without records.
    static func complaint(_ left: OperandType, _ right: OperandType) -> String?

    /// What is wrong with a constant on the right side, as a sentence; `nil` if nothing is.
    static func complaint(about right: FilterValue) -> String?

    /// The options under which operands are folded before they are compared; the rest the operator sees to itself.
    static func folding(_ options: Filter.Options) -> Filter.Options

    /// Whether the comparison holds for two values.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` where the language says that evaluation fails.
    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool

    /// A closure that compares left values with one right value.
    ///
    /// The default calls ``holds(_:_:)``; an operator that can prepare something for the right value makes a faster one.
    static func judge(_ right: FilterValue) -> FilterJudge

    /// A closure that evaluates the comparison for records.
    ///
    /// The default calls ``judge(_:)`` and ``holds(_:_:)``; an operator that can do better for fields makes a faster one.
    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test
}

extension OperatorRule {
    static func complaint(about right: FilterValue) -> String? { nil }

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
    /// What the operator means.
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
        }
    }

    /// The operators by their spellings, words in capitals.
    static let bySpelling: [String: Filter.Operator] = Dictionary(
        allCases.flatMap { candidate in candidate.rule.spellings.map { ($0, candidate) } },
        uniquingKeysWith: { first, _ in first })
}

extension Filter.Comparison {
    /// What the comparison's operator means under its options.
    var rule: any OperatorRule.Type {
        `operator` == .matches && options.contains(.caseInsensitive) ? MatchesInAnyCase.self : `operator`.rule
    }
}

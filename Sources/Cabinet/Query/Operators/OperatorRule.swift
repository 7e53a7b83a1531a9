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

    /// Whether the comparison holds for two values.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` where the language says that evaluation fails.
    static func holds(_ left: FilterValue, _ right: FilterValue) throws(CabinetError) -> Bool

    /// A closure that evaluates the comparison for records.
    ///
    /// The default calls ``holds(_:_:)``; an operator that can prepare something for a constant operand makes a faster
    /// one.
    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test
}

extension OperatorRule {
    static func test(_ left: CompiledOperand, _ right: CompiledOperand) -> CompiledFilter.Test {
        { record, positions in
            try holds(left.value(in: record, at: positions), right.value(in: record, at: positions))
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
        }
    }

    /// The operators by their spellings, words in capitals.
    static let bySpelling: [String: Filter.Operator] = Dictionary(
        allCases.flatMap { candidate in candidate.rule.spellings.map { ($0, candidate) } },
        uniquingKeysWith: { first, _ in first })
}

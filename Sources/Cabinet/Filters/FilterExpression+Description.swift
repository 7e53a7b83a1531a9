extension Filter.Expression: CustomStringConvertible {
    /// The expression as it stands in a format string; see ``Filter/description``.
    public var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// The expression as an error message shows it.
    var abbreviated: String {
        var text = ""
        write(to: &text, longest: 40)
        return text
    }

    /// - Parameters:
    ///   - longest: The maximum number of characters of a text, and of elements of a list, to write.
    ///   - subject: The variable that stands for the record, or `nil` for the record of the query.
    func write(to text: inout String, longest: Int = .max, of subject: String? = nil) {
        switch self {
        case .field(let path):
            text +=
                subject.map { "\($0).\(FilterKeyPath.spelled(path, isContinued: true))" } ?? FilterKeyPath.spelled(path)
        case .member(let operand, let path):
            operand.write(to: &text, longest: longest, of: subject, inParentheses: !operand.takesPath)
            text += ".\(FilterKeyPath.spelled(path, isContinued: true))"
        case .element(let list, let index):
            list.write(to: &text, longest: longest, of: subject, inParentheses: list.tightness < Self.tightest)
            index.write(to: &text, longest: longest, of: subject)
        case .arithmetic(let left, let arithmetic, let right):
            let tightness = tightness
            let isRight = arithmetic.associatesToTheRight
            left.write(
                to: &text, longest: longest, of: subject, inParentheses: left.tightness < tightness + (isRight ? 1 : 0))
            text += " \(arithmetic.rawValue) "
            right.write(
                to: &text, longest: longest, of: subject, inParentheses: right.tightness < tightness + (isRight ? 0 : 1)
            )
        case .negative(let operand):
            text += "-"
            // A minus sign before a digit would be part of the number.
            operand.write(
                to: &text, longest: longest, of: subject,
                inParentheses: operand.tightness < tightness || operand.beginsWithNumber)
        case .distance(let left, let right):
            text += "\(FilterFunction.distance.rawValue)("
            left.write(to: &text, longest: longest, of: subject)
            text += ", "
            right.write(to: &text, longest: longest, of: subject)
            text += ")"
        case .referring(let type, let field, let filter):
            let collection = FilterKeyPath.spelled("\(type).\(field)")
            if longest < .max {
                text += "SUBQUERY(\(collection), …).@count"
            } else {
                filter.writeSubquery(of: collection, to: &text)
            }
        case .searchableText:
            // No text stands for it here; `SELF CONTAINS` is written by the comparison.
            text += "<allTokens>"
        case .variable(let name):
            text += "$\(FilterKeyPath.isName(name) ? name : FilterLiteral.quoted(name))"
        case .constant(nil):
            text += "NIL"
        case .constant(let value?):
            value.writeLiteral(to: &text, longest: longest)
        case .list(let elements):
            // Without the cast, the list would be read as a constant.
            let isCast = longest == .max && Self.constantList(elements) != nil
            if isCast { text += "CAST(" }
            text += "{"
            for (index, element) in elements.prefix(longest).enumerated() {
                if index > 0 { text += ", " }
                element.write(to: &text, longest: longest, of: subject)
            }
            text += elements.count > longest ? ", …}" : "}"
            if isCast { text += ", '\(FilterCast.operands)')" }
        case .unstorable(let description):
            text += "<\(description)>"
        }
    }

    private func write(to text: inout String, longest: Int, of subject: String?, inParentheses: Bool) {
        if inParentheses { text += "(" }
        write(to: &text, longest: longest, of: subject)
        if inParentheses { text += ")" }
    }

    /// The precedence of the expression's operator, which needs parentheses among operators of a higher precedence.
    private var tightness: Int {
        switch self {
        case .arithmetic(_, let arithmetic, _): arithmetic.precedence
        case .negative: Filter.Arithmetic.negativePrecedence
        default: Self.tightest
        }
    }

    private static let tightest = Filter.Arithmetic.negativePrecedence + 1

    /// Whether a dot and a path after the expression lead on from it, and make no longer path or number.
    private var takesPath: Bool {
        switch self {
        case .field, .member, .searchableText: false
        default: tightness == Self.tightest && !isNumber
        }
    }

    private var isNumber: Bool {
        switch self {
        case .constant(.int64), .constant(.double): true
        default: false
        }
    }

    /// Whether the first sign of the expression is a digit.
    private var beginsWithNumber: Bool {
        switch self {
        case .constant(.int64(let value)): value >= 0
        case .constant(.double(let value)): value.sign == .plus
        case .element(let operand, _): operand.beginsWithNumber
        case .member(let operand, _): operand.takesPath && operand.beginsWithNumber
        default: false
        }
    }
}

extension Filter.Index {
    /// The index with its brackets.
    fileprivate func write(to text: inout String, longest: Int, of subject: String?) {
        text += "["
        switch self {
        case .at(let position): position.write(to: &text, longest: longest, of: subject)
        case .first: text += "FIRST"
        case .last: text += "LAST"
        case .size: text += "SIZE"
        }
        text += "]"
    }
}

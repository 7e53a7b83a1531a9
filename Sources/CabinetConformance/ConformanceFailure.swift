/// A law that does not hold: which rule found it, what it expected and what it found, and where in the rule.
public struct ConformanceFailure: Error, Sendable {
    /// The rule that failed; `nil` as long as the rule's body is running.
    public internal(set) var rule: ConformanceRule?

    /// What was expected, and what was found instead.
    public let message: String

    /// The file of the expectation that failed; `nil` if an error ended the rule.
    public let fileID: String?

    /// The line of the expectation that failed.
    public let line: Int?

    /// The error that ended the rule, if it was not an expectation that failed.
    public let underlyingError: (any Error)?

    /// The fewest steps that lead to the failure, in their order; empty unless the rule makes up what it does.
    public let steps: [String]

    init(
        message: String, fileID: String?, line: Int?, underlyingError: (any Error)? = nil, steps: [String] = []
    ) {
        self.steps = steps
        self.message = message
        self.fileID = fileID
        self.line = line
        self.underlyingError = underlyingError
    }

    /// The failure that an error means which ended a rule.
    init(_ error: any Error, in rule: ConformanceRule) {
        if let failure = error as? ConformanceFailure {
            self = failure
        } else {
            message = "The rule was ended by an error that it did not expect."
            fileID = nil
            line = nil
            underlyingError = error
            steps = []
        }
        self.rule = rule
    }
}

extension ConformanceFailure: CustomStringConvertible {
    /// The rule with its law and source, then what was found, as a small tree.
    public var description: String {
        var branches: [(label: String, text: String)] = []
        if let rule {
            branches.append(("Law", rule.law))
            branches.append(("Source", "\(rule.source)"))
        }
        branches.append(("Found", message))
        if !steps.isEmpty {
            let numbered = steps.enumerated().map { "\n\($0.offset + 1). \($0.element)" }
            branches.append(("Steps", "these are enough to find it:" + numbered.joined()))
        }
        if let fileID, let line { branches.append(("Place", "\(fileID):\(line)")) }
        if let underlyingError { branches.append(("Error", "\(underlyingError)")) }
        var lines = ["ConformanceFailure: \(rule?.description ?? "an expectation failed")"]
        for (index, branch) in branches.enumerated() {
            let isLast = index == branches.count - 1
            let text = branch.text.split(separator: "\n", omittingEmptySubsequences: false)
            lines.append("\(isLast ? "└─" : "├─") \(branch.label): \(text.first ?? "")")
            lines += text.dropFirst().map { (isLast ? "   " : "│  ") + $0 }
        }
        return lines.joined(separator: "\n")
    }
}

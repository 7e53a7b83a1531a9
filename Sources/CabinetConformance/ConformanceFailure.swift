/// A violated law: the rule that found it, the expected and the found values, and the line of the expectation.
public struct ConformanceFailure: Error, Sendable {
    /// The rule that failed; `nil` while the rule's body is running.
    public internal(set) var rule: ConformanceRule?

    /// A sentence that names the expected and the found value.
    public let message: String

    /// The file of the expectation that failed; `nil` if an error ended the rule.
    public let fileID: String?

    /// The line of the expectation that failed.
    public let line: Int?

    /// The error that ended the rule, if the failure was not an expectation.
    public let underlyingError: (any Error)?

    /// The shortest known list of steps that leads to the failure, in order.
    ///
    /// Empty unless the rule generates its operations.
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

    /// The failure for an error that ended a rule.
    init(_ error: any Error, in rule: ConformanceRule) {
        if let failure = error as? ConformanceFailure {
            self = failure
        } else {
            message = "An unexpected error ended the rule."
            fileID = nil
            line = nil
            underlyingError = error
            steps = []
        }
        self.rule = rule
    }
}

extension ConformanceFailure: CustomStringConvertible {
    /// The rule with its law and source, and the finding, as a small tree.
    public var description: String {
        var branches: [(label: String, text: String)] = []
        if let rule {
            branches.append(("Law", rule.law))
            branches.append(("Source", "\(rule.source)"))
        }
        branches.append(("Found", message))
        if !steps.isEmpty {
            let numbered = steps.enumerated().map { "\n\($0.offset + 1). \($0.element)" }
            branches.append(("Steps", "these steps reproduce it:" + numbered.joined()))
        }
        if let fileID, let line { branches.append(("Line", "\(fileID):\(line)")) }
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

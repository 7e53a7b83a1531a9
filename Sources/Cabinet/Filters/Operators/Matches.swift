import Foundation

/// `MATCHES`: the whole left text matches the right one, a regular expression.
enum Matches: MatchRule {
    static let patternOptions: NSRegularExpression.Options = []
}

import Foundation

/// `MATCHES[c]`, whose pattern is not folded, because `\D` is not `\d`: regular expressions ignore case themselves.
enum MatchesInAnyCase: MatchRule {
    static let patternOptions: NSRegularExpression.Options = [.caseInsensitive]
}

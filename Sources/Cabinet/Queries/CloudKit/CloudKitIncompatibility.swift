/// A part of a query that CloudKit's own service would refuse, with the reason.
///
/// ```swift
/// let filter = try Filter("list.name == 'Groceries' OR number > 3")
/// for incompatibility in filter.validateForCloudKit() { print(incompatibility) }
/// ```
public struct CloudKitIncompatibility: Sendable, Hashable {
    /// The part of a query that is incompatible.
    public enum Part: Sendable, Hashable {
        /// A filter, or the smallest part of it that would be refused.
        case filter(Filter)
        /// A sort key.
        case sort(Sort)
    }

    /// The smallest part of the query that would be refused.
    public let part: Part

    /// The reason, in one sentence.
    public let reason: String

    /// Creates an incompatibility.
    ///
    /// - Parameters:
    ///   - part: The smallest part of the query that would be refused.
    ///   - reason: The reason, in one sentence.
    public init(part: Part, reason: String) {
        self.part = part
        self.reason = reason
    }
}

extension CloudKitIncompatibility: CustomStringConvertible {
    /// The part and the reason, in one line.
    public var description: String { "\(part): \(reason)" }
}

extension CloudKitIncompatibility.Part: CustomStringConvertible {
    /// The filter as a format string, or the sort key's name in words.
    public var description: String {
        switch self {
        case .filter(let filter): filter.description
        case .sort(let sort): "sorting by \(sort.key)"
        }
    }
}

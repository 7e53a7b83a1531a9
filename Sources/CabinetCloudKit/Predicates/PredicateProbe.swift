import Foundation

/// An object that a predicate or a sort descriptor is applied to, so that it reveals what it was made from.
///
/// On platforms without Objective-C, Foundation's predicates are opaque: a predicate of a format is a block here, and only
/// the block knows the format.
final class PredicateProbe: NSObject {
    var format: String?
    var arguments: [Any] = []
    var sortKey: String?
}

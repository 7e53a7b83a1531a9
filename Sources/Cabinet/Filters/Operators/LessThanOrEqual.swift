/// `<=`: the left one comes before the right one, or equals it.
enum LessThanOrEqual: OrderRule {
    static let spellings = ["<=", "=<"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering != .after }
}

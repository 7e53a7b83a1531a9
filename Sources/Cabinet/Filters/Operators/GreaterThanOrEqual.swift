/// `>=`: the left one comes after the right one, or equals it.
enum GreaterThanOrEqual: OrderRule {
    static let spellings = [">=", "=>"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering != .before }
}

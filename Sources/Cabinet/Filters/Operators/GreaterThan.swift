/// `>`: the left one comes after the right one.
enum GreaterThan: OrderRule {
    static let spellings = [">"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering == .after }
}

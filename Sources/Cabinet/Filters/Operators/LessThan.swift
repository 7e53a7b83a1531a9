/// `<`: the left one comes before the right one.
enum LessThan: OrderRule {
    static let spellings = ["<"]

    static func accepts(_ ordering: Ordering) -> Bool { ordering == .before }
}

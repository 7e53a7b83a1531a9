extension Filter.Arithmetic {
    /// The precedence of the operator, from 0.
    var precedence: Int {
        switch self {
        case .plus, .minus: 0
        case .times, .dividedBy: 1
        case .toThePower: 2
        }
    }

    /// The precedence of a minus sign before a value.
    static let negativePrecedence = 3

    /// Whether `a ** b ** c` is `a ** (b ** c)`.
    var associatesToTheRight: Bool { self == .toThePower }
}

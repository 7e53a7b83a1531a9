/// The operator of a comparison of order.
package enum OrderSign: String, Sendable {
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// The operator after the operands are exchanged.
    package var mirrored: OrderSign {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// The operator that also holds for equal values.
    package var orEqual: OrderSign {
        switch self {
        case .less, .lessOrEqual: .lessOrEqual
        case .greater, .greaterOrEqual: .greaterOrEqual
        }
    }

    package var isUpwards: Bool { self == .greater || self == .greaterOrEqual }
}

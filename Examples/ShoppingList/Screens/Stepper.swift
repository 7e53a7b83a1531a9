/// A number that is changed in steps, as UIKit's control does: its value is a `Double`.
struct Stepper {
    /// The numbers that an item can have.
    static let range = 1...999

    private(set) var value: Double

    /// Creates a stepper with an item's number, or 1 if it has none.
    init(value: Double?) {
        self.value = (value ?? 1).clamped
    }

    /// The value as it is shown and saved.
    var number: Int { Int(value) }

    /// Changes the value as typed: `+` and `-` are steps, also several, and digits are the new value.
    ///
    /// - Returns: Whether that is what was typed.
    mutating func change(_ typed: String) -> Bool {
        if let number = Double(typed), typed.allSatisfy(\.isNumber) {
            value = number.clamped
        } else if typed.allSatisfy({ $0 == "+" || $0 == "-" }) {
            for sign in typed { value = (value + (sign == "+" ? 1 : -1)).clamped }
        } else {
            return false
        }
        return true
    }
}

extension Double {
    /// The nearest number that an item can have.
    fileprivate var clamped: Double {
        Swift.min(Swift.max(self, Double(Stepper.range.lowerBound)), Double(Stepper.range.upperBound))
    }
}

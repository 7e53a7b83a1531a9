extension BinaryInteger {
    /// Returns the number with its noun: `1 record`, `2 records`.
    ///
    /// - Parameters:
    ///   - one: The noun for the number one.
    ///   - many: The noun for other numbers; `nil` for the first one with an `s`.
    package func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) \(self == 1 ? one : many ?? one + "s")"
    }
}

/// Distances between locations, in metres.
///
/// ```swift
/// .field("place").distance(to: home) < .kilometers(2)
/// .field("start").distance(to: .field("end")) >= .meters(500)
/// ```
extension Filter.Expression {
    /// Returns the distance between the location in this operand and another location, or nil if this operand is nil.
    ///
    /// ```swift
    /// .field("location").distance(to: here) < .kilometers(5)
    /// ```
    ///
    /// - Parameter place: The other location.
    public func distance(to place: Location) -> Filter.Expression {
        distance(to: Filter.Expression(place))
    }

    /// Returns the distance between the locations in two operands, or nil if one of them is nil.
    ///
    /// - Parameter place: The other location.
    public func distance(to place: Filter.Expression) -> Filter.Expression {
        Filter.Expression.distance(self, place).ifShallow
    }

    /// A distance, to compare others with.
    ///
    /// - Parameter meters: The distance in metres.
    public static func meters(_ meters: Double) -> Filter.Expression {
        Filter.Expression(meters)
    }

    /// A distance, to compare others with.
    ///
    /// - Parameter kilometers: The distance in kilometres; filters count in metres.
    public static func kilometers(_ kilometers: Double) -> Filter.Expression {
        Filter.Expression(kilometers * 1000)
    }
}

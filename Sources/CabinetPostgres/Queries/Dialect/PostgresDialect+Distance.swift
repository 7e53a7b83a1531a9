import Cabinet
import SQLSupport

/// Distances, as ``Location/distance(to:)`` computes them.
extension PostgresDialect {
    /// The largest difference between distances in SQL and in Swift, in metres, because their sines are rounded differently.
    ///
    /// It occurs between antipodes, where the arc sine is steep.
    static let distanceError = 1.0

    static func distance(_ location: SQLTerm, _ origin: Location, _ translator: inout Translator) -> SQLTerm? {
        distance(location, origin, &translator.builder)
    }

    /// Returns the distance between the location in a field and another one; `nil` if that one is not on Earth.
    static func distance(_ location: SQLTerm, _ origin: Location, _ builder: inout SQLBuilder) -> SQLTerm? {
        guard (-90...90).contains(origin.latitude), (-180...180).contains(origin.longitude) else { return nil }
        let latitude = builder.parameter(.double(origin.latitude))
        let longitude = builder.parameter(.double(origin.longitude))
        return distance(location, to: (latitude, longitude), isChecked: true)
    }

    static func distance(_ location: SQLTerm, _ other: SQLTerm) -> SQLTerm? {
        distance(location, to: ("(\(other.text))[1]", "(\(other.text))[2]"), isChecked: false)
    }

    /// Returns the distance between two locations.
    ///
    /// - Parameter isChecked: Whether the other location is known to be on Earth.
    private static func distance(
        _ location: SQLTerm, to other: (latitude: String, longitude: String), isChecked: Bool
    ) -> SQLTerm {
        let (latitude, longitude) = ("(\(location.text))[1]", "(\(location.text))[2]")
        // In SQL, the sine of an infinite number is an error.
        var inexactCases = ["\(latitude) NOT BETWEEN -90 AND 90 OR \(longitude) NOT BETWEEN -180 AND 180"]
        if !isChecked {
            inexactCases.append(
                "\(other.latitude) NOT BETWEEN -90 AND 90 OR \(other.longitude) NOT BETWEEN -180 AND 180")
        }
        let haversine =
            "power(sin(radians((\(latitude) - \(other.latitude)) / 2)), 2) + cos(radians(\(latitude))) "
            + "* cos(radians(\(other.latitude))) * power(sin(radians((\(longitude) - \(other.longitude)) / 2)), 2)"
        // `least` ignores NULL.
        let text =
            "(CASE WHEN \(latitude) IS NOT NULL AND \(other.latitude) IS NOT NULL "
            + "THEN 12742017.6 * asin(sqrt(least(1, greatest(0, \(haversine))))) END)"
        return SQLTerm(text: text, type: .double, inexactCases: inexactCases, precision: .distance)
    }
}

import Foundation

extension Location {
    /// Returns the distance to another location along the surface of the Earth, in metres.
    ///
    /// The Earth counts as a sphere with its mean radius, 6,371,008.8 m, which is wrong by at most 0.6 %. Altitudes are
    /// ignored. Every distance in a filter or an order is computed here, so all backends return the same results.
    ///
    /// - Parameter other: The location to measure to.
    /// - Returns: The distance in metres, the same in both directions, or `NaN` if a coordinate is not finite.
    public func distance(to other: Location) -> Double {
        let radians = Double.pi / 180
        let latitudeSine = sin((latitude - other.latitude) / 2 * radians)
        let longitudeSine = sin((longitude - other.longitude) / 2 * radians)
        // The product of the cosines comes first, so that the result is the same in both directions.
        let cosines = cos(latitude * radians) * cos(other.latitude * radians)
        let haversine = latitudeSine * latitudeSine + cosines * (longitudeSine * longitudeSine)
        if haversine.isNaN { return .nan }
        // For antipodal locations, rounding may give a sine above 1, which no angle has.
        return 2 * Self.meanRadius * asin(min(1, haversine.squareRoot()))
    }

    /// The mean radius of the Earth, in metres.
    private static let meanRadius = 6_371_008.8
}

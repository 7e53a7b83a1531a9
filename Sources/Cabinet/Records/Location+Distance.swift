import Foundation

extension Location {
    /// The distance to another place along the surface of the Earth, in metres.
    ///
    /// The Earth is taken for a sphere with its mean radius, 6,371,008.8 m, which is at most 0.6 % wrong; altitudes do not
    /// matter. Every distance in a filter or an order is computed here, so that they are the same on every backend.
    ///
    /// - Returns: The distance, the same from either side; not-a-number if a coordinate is no finite number.
    public func distance(to other: Location) -> Double {
        let radians = Double.pi / 180
        let latitudeSine = sin((latitude - other.latitude) / 2 * radians)
        let longitudeSine = sin((longitude - other.longitude) / 2 * radians)
        // The product of the cosines is put first: it is then the same from either side.
        let cosines = cos(latitude * radians) * cos(other.latitude * radians)
        let haversine = latitudeSine * latitudeSine + cosines * (longitudeSine * longitudeSine)
        if haversine.isNaN { return .nan }
        // Rounding may lead above 1 between opposite places, where no angle has such a sine.
        return 2 * Self.meanRadius * asin(min(1, haversine.squareRoot()))
    }

    /// The mean radius of the Earth, in metres.
    private static let meanRadius = 6_371_008.8
}

public import Foundation

/// A place on Earth, with CLLocation's components.
///
/// ```swift
/// shop["location"] = Location(latitude: 52.52, longitude: 13.40)
/// let nearest = Query(
///     recordType: "Shops", sortedBy: [Sort("location", distanceFrom: here)])
/// ```
///
/// ``distance(to:)`` measures the distance to another location, and so do filters.
public struct Location: Sendable, Hashable, Codable {
    /// Degrees north of the equator, -90 to 90.
    public var latitude: Double

    /// Degrees east of Greenwich, -180 to 180.
    public var longitude: Double

    /// Metres above sea level.
    public var altitude: Double?

    /// The radius of uncertainty of latitude and longitude, in metres.
    public var horizontalAccuracy: Double?

    /// The uncertainty of the altitude, in metres.
    public var verticalAccuracy: Double?

    /// The direction of travel, in degrees clockwise from north.
    public var course: Double?

    /// The speed of travel, in metres per second.
    public var speed: Double?

    /// The date on which the location was determined.
    public var timestamp: Date?

    /// Creates a location.
    ///
    /// Nothing is checked here. Saving a record with a location throws ``CabinetError/Code/invalidArguments`` if the
    /// latitude or longitude is out of range, or a component is not finite.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north of the equator, -90 to 90.
    ///   - longitude: Degrees east of Greenwich, -180 to 180.
    ///   - altitude: Metres above sea level.
    ///   - horizontalAccuracy: The radius of uncertainty of latitude and longitude, in metres.
    ///   - verticalAccuracy: The uncertainty of the altitude, in metres.
    ///   - course: The direction of travel, in degrees clockwise from north.
    ///   - speed: The speed of travel, in metres per second.
    ///   - timestamp: The date on which the location was determined.
    public init(
        latitude: Double, longitude: Double, altitude: Double? = nil, horizontalAccuracy: Double? = nil,
        verticalAccuracy: Double? = nil, course: Double? = nil, speed: Double? = nil, timestamp: Date? = nil
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.speed = speed
        self.timestamp = timestamp
    }
}

extension Location {
    /// Creates a location from the numbers of a CLLocation.
    ///
    /// Negative numbers stand for unknown ones. An altitude of unknown accuracy has the accuracy 0, and a location
    /// without a time has CoreLocation's reference date.
    package init(
        coreLocation numbers: (
            latitude: Double, longitude: Double, altitude: Double, horizontalAccuracy: Double,
            verticalAccuracy: Double, course: Double, speed: Double, timestamp: Date
        )
    ) {
        func known(_ value: Double) -> Double? { value < 0 ? nil : value }
        self.init(
            latitude: numbers.latitude, longitude: numbers.longitude,
            altitude: numbers.verticalAccuracy < 0 ? nil : numbers.altitude,
            horizontalAccuracy: known(numbers.horizontalAccuracy),
            verticalAccuracy: numbers.verticalAccuracy > 0 ? numbers.verticalAccuracy : nil,
            course: known(numbers.course), speed: known(numbers.speed),
            timestamp: numbers.timestamp == Self.unknownTime ? nil : numbers.timestamp)
    }

    /// The numbers of a CLLocation, from which ``init(coreLocation:)`` creates the same location.
    package var coreLocation:
        (
            latitude: Double, longitude: Double, altitude: Double, horizontalAccuracy: Double,
            verticalAccuracy: Double, course: Double, speed: Double, timestamp: Date
        )
    {
        (
            latitude, longitude, altitude ?? 0, horizontalAccuracy ?? -1,
            verticalAccuracy ?? (altitude == nil ? -1 : 0), course ?? -1, speed ?? -1, timestamp ?? Self.unknownTime
        )
    }

    private static let unknownTime = Date(timeIntervalSinceReferenceDate: 0)
}

extension Location: CustomStringConvertible {
    /// Latitude, longitude and the components that are set: `<52.5, 13.4, altitude 34.0>`.
    public var description: String {
        let others: [(String, Double?)] = [
            ("altitude", altitude), ("horizontal accuracy", horizontalAccuracy),
            ("vertical accuracy", verticalAccuracy), ("course", course), ("speed", speed),
            ("seconds since 2001", timestamp?.timeIntervalSinceReferenceDate),
        ]
        let texts = others.compactMap { name, number in number.map { "\(name) \($0)" } }
        return "<\((["\(latitude)", "\(longitude)"] + texts).joined(separator: ", "))>"
    }
}

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

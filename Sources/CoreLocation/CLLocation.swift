public import Foundation

/// A place on Earth, with the date and the precision of its measurement.
///
/// This is the value type of CoreLocation alone: nothing here determines locations.
// Unchecked, and safe: all stored properties are constants.
open class CLLocation: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The latitude and longitude.
    public let coordinate: CLLocationCoordinate2D

    /// Metres above sea level.
    public let altitude: CLLocationDistance

    /// The radius of uncertainty of the coordinate, in metres.
    public let horizontalAccuracy: CLLocationAccuracy

    /// The uncertainty of the altitude, in metres; negative if the altitude is unknown.
    public let verticalAccuracy: CLLocationAccuracy

    /// The direction of travel, in degrees clockwise from north; negative if it is unknown.
    public let course: CLLocationDirection

    /// The speed of travel, in metres per second; negative if it is unknown.
    public let speed: CLLocationSpeed

    /// The uncertainty of the course, in degrees: negative, because it is unknown.
    open var courseAccuracy: CLLocationDirectionAccuracy { -1 }

    /// The uncertainty of the speed, in metres per second: negative, because it is unknown.
    open var speedAccuracy: CLLocationSpeedAccuracy { -1 }

    /// The floor of the building: `nil`, because it is unknown.
    open var floor: CLFloor? { nil }

    /// The date on which the location was determined.
    public let timestamp: Date

    /// Creates a location from a latitude and a longitude.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// Creates a location without a direction and a speed.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// Creates a location.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.speed = speed
        self.timestamp = timestamp
    }

    /// Returns the distance to another location along the surface, in metres.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        let radians = Double.pi / 180
        let latitudes = (coordinate.latitude * radians, location.coordinate.latitude * radians)
        let half = (
            sin((latitudes.1 - latitudes.0) / 2),
            sin((location.coordinate.longitude - coordinate.longitude) * radians / 2)
        )
        let chord = half.0 * half.0 + cos(latitudes.0) * cos(latitudes.1) * half.1 * half.1
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }

    /// Whether archives are read securely: always.
    public class var supportsSecureCoding: Bool { true }

    /// Reads a location from an archive.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "latitude") else { return nil }
        coordinate = CLLocationCoordinate2D(
            latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude"))
        altitude = coder.decodeDouble(forKey: "altitude")
        horizontalAccuracy = coder.decodeDouble(forKey: "horizontalAccuracy")
        verticalAccuracy = coder.decodeDouble(forKey: "verticalAccuracy")
        course = coder.decodeDouble(forKey: "course")
        speed = coder.decodeDouble(forKey: "speed")
        timestamp = Date(timeIntervalSinceReferenceDate: coder.decodeDouble(forKey: "timestamp"))
    }

    /// Writes the location into an archive.
    open func encode(with coder: NSCoder) {
        coder.encode(coordinate.latitude, forKey: "latitude")
        coder.encode(coordinate.longitude, forKey: "longitude")
        coder.encode(altitude, forKey: "altitude")
        coder.encode(horizontalAccuracy, forKey: "horizontalAccuracy")
        coder.encode(verticalAccuracy, forKey: "verticalAccuracy")
        coder.encode(course, forKey: "course")
        coder.encode(speed, forKey: "speed")
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
    }

    /// Returns the location itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The coordinate, for logs.
    open override var description: String { "<\(coordinate.latitude), \(coordinate.longitude)>" }
}

/// A floor of a building.
// Unchecked, and safe: the only property is a constant.
open class CLFloor: NSObject, @unchecked Sendable {
    /// The number of the floor: 0 on the ground, negative below it.
    public let level: Int

    init(level: Int) {
        self.level = level
    }
}

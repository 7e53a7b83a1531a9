/// An angle on Earth, in degrees.
public typealias CLLocationDegrees = Double

/// A length, in metres.
public typealias CLLocationDistance = Double

/// A radius of uncertainty, in metres; negative if it is invalid.
public typealias CLLocationAccuracy = Double

/// A speed, in metres per second; negative if it is invalid.
public typealias CLLocationSpeed = Double

/// A direction, in degrees clockwise from north; negative if it is invalid.
public typealias CLLocationDirection = Double

/// The uncertainty of a speed, in metres per second; negative if it is invalid.
public typealias CLLocationSpeedAccuracy = Double

/// The uncertainty of a direction, in degrees; negative if it is invalid.
public typealias CLLocationDirectionAccuracy = Double

/// A latitude and a longitude.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees

    /// Degrees east of Greenwich.
    public var longitude: CLLocationDegrees

    /// Creates the coordinate with latitude 0 and longitude 0.
    public init() {
        self.init(latitude: 0, longitude: 0)
    }

    /// Creates a coordinate.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A coordinate that is not on Earth.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// Returns a Boolean value that indicates whether a coordinate is a point on Earth.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
    coordinate.latitude.magnitude <= 90 && coordinate.longitude.magnitude <= 180
}

/// Returns a coordinate.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

import Foundation

/// A rectangle of latitudes and longitudes, for a backend's spatial index.
public struct BoundingBox: Sendable, Hashable {
    /// The least latitude, in degrees.
    public var south: Double
    /// The greatest latitude, in degrees.
    public var north: Double
    /// The least longitude, in degrees.
    public var west: Double
    /// The greatest longitude, in degrees.
    public var east: Double

    /// Creates a box from its bounds, in degrees.
    public init(south: Double, north: Double, west: Double, east: Double) {
        self.south = south
        self.north = north
        self.west = west
        self.east = east
    }

    /// The whole Earth.
    public static let everywhere = BoundingBox(south: -90, north: 90, west: -180, east: 180)
}

extension BoundingBox {
    /// Creates the box of a single location.
    ///
    /// A location that does not lie on Earth has the box ``everywhere``, so that every search reads it.
    public init(at place: Location) {
        let isOnEarth = (-90...90).contains(place.latitude) && (-180...180).contains(place.longitude)
        self =
            isOnEarth
            ? BoundingBox(south: place.latitude, north: place.latitude, west: place.longitude, east: place.longitude)
            : .everywhere
    }

    /// Returns boxes that together contain every location within a distance of another.
    ///
    /// There are two boxes if the date line lies between them. They are slightly too large, so that rounding never
    /// excludes a location.
    ///
    /// - Parameters:
    ///   - origin: The location in the middle.
    ///   - distance: The distance in metres.
    public static func boxes(around origin: Location, distance: Double) -> [BoundingBox] {
        guard (-90...90).contains(origin.latitude), (-180...180).contains(origin.longitude), !distance.isNaN else {
            return [.everywhere]
        }
        if distance < 0 { return [] }
        // The radius that `Location.distance(to:)` uses, made slightly smaller, gives slightly larger angles.
        let angle = distance / 6_371_000 * (1 + 1e-9) + 1e-7
        let degrees = angle * 180 / .pi
        let south = origin.latitude - degrees
        let north = origin.latitude + degrees
        // A circle around a pole covers all longitudes.
        guard south > -90, north < 90, angle < .pi / 2 else {
            return [BoundingBox(south: max(south, -90), north: min(north, 90), west: -180, east: 180)]
        }
        let ratio = sin(angle) / cos(origin.latitude * .pi / 180)
        guard ratio < 1 else { return [BoundingBox(south: south, north: north, west: -180, east: 180)] }
        let width = asin(ratio) * 180 / .pi * (1 + 1e-9) + 1e-5
        guard width < 180 else { return [BoundingBox(south: south, north: north, west: -180, east: 180)] }
        let west = origin.longitude - width
        let east = origin.longitude + width
        let middle = BoundingBox(south: south, north: north, west: max(west, -180), east: min(east, 180))
        if west < -180 { return [middle, BoundingBox(south: south, north: north, west: west + 360, east: 180)] }
        if east > 180 { return [middle, BoundingBox(south: south, north: north, west: -180, east: east - 360)] }
        // The date line has two longitudes: -180 and 180.
        if west <= -180 || east >= 180 { return [BoundingBox(south: south, north: north, west: -180, east: 180)] }
        return [middle]
    }
}

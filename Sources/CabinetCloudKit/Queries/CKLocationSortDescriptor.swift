public import CoreLocation
public import Foundation

/// An order by the distance from a location, nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor {
    /// The location from which distances are measured.
    public let relativeLocation: CLLocation

    let locationKey: String

    /// Creates an order by the distance between the location in a field and another location.
    public init(key: String, relativeLocation: CLLocation) {
        self.relativeLocation = relativeLocation
        locationKey = key
        #if canImport(ObjectiveC)
        super.init(key: key, ascending: true, selector: nil)
        #else
        super.init(keyPath: \NSObject.self, ascending: true) { _, _ in .orderedSame }
        #endif
    }

    /// Reads a sort descriptor from an archive.
    public required init?(coder: NSCoder) {
        guard let location = coder.decodeObject(of: CLLocation.self, forKey: "relativeLocation"),
            let key = coder.decodeObject(of: NSString.self, forKey: "locationKey")
        else {
            return nil
        }
        relativeLocation = location
        locationKey = "\(key)"
        #if canImport(ObjectiveC)
        super.init(key: "\(key)", ascending: true, selector: nil)
        #else
        super.init(keyPath: \NSObject.self, ascending: true) { _, _ in .orderedSame }
        #endif
    }

    private func write(to coder: NSCoder) {
        coder.encode(relativeLocation, forKey: "relativeLocation")
        coder.encode(locationKey as NSString, forKey: "locationKey")
    }

    #if canImport(ObjectiveC)
    /// Writes the sort descriptor into an archive.
    open override func encode(with coder: NSCoder) { write(to: coder) }
    #else
    /// Writes the sort descriptor into an archive.
    open func encode(with coder: NSCoder) { write(to: coder) }
    #endif
}

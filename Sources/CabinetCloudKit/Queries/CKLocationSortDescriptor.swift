public import CoreLocation
public import Foundation

/// An order by the distance from a location, nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor {
    /// The location from which distances are measured.
    public let relativeLocation: CLLocation

    let locationKey: String

    /// Creates an order by the distance between the location in a field and another location.
    public convenience init(key: String, relativeLocation: CLLocation) {
        self.init(key: key, relativeLocation: relativeLocation, ascending: true)
    }

    init(key: String, relativeLocation: CLLocation, ascending: Bool) {
        self.relativeLocation = relativeLocation
        locationKey = key
        #if canImport(ObjectiveC)
        super.init(key: key, ascending: ascending, selector: nil)
        #else
        super.init(keyPath: \NSObject.self, ascending: ascending) { _, _ in .orderedSame }
        #endif
    }

    /// The order with the farthest first, or with the nearest first again.
    open override var reversedSortDescriptor: Any {
        CKLocationSortDescriptor(key: locationKey, relativeLocation: relativeLocation, ascending: !ascending)
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
        let ascending = !coder.decodeBool(forKey: "isDescending")
        #if canImport(ObjectiveC)
        super.init(key: "\(key)", ascending: ascending, selector: nil)
        #else
        super.init(keyPath: \NSObject.self, ascending: ascending) { _, _ in .orderedSame }
        #endif
    }

    private func write(to coder: NSCoder) {
        coder.encode(relativeLocation, forKey: "relativeLocation")
        coder.encode(locationKey as NSString, forKey: "locationKey")
        coder.encode(!ascending, forKey: "isDescending")
    }

    #if canImport(ObjectiveC)
    /// Writes the sort descriptor into an archive.
    open override func encode(with coder: NSCoder) { write(to: coder) }
    #else
    /// Writes the sort descriptor into an archive.
    open func encode(with coder: NSCoder) { write(to: coder) }
    #endif
}

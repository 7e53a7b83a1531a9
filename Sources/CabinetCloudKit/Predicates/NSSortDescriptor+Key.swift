import Cabinet
import CoreLocation
public import Foundation

#if !canImport(ObjectiveC)
/// `NSSortDescriptor(key:ascending:)` and `NSSortDescriptor(key:ascending:selector:)`, which Foundation lacks without Objective-C.
extension NSSortDescriptor {
    /// Creates an order by the values of a field.
    public convenience init(key: String?, ascending: Bool) {
        self.init(keyPath: \NSObject.self, ascending: ascending) { left, right in
            if let probe = left as? PredicateProbe {
                probe.sortKey = key
                return .orderedSame
            }
            guard let key, let left = left as? CKRecord, let right = right as? CKRecord else { return .orderedSame }
            return left.compare(right, by: key)
        }
    }
}

extension NSSortDescriptor {
    /// Creates an order by the values of a field, with `nil` as the selector: these platforms have no selectors.
    public convenience init(key: String?, ascending: Bool, selector: Never?) {
        self.init(key: key, ascending: ascending)
    }
}

extension CKRecord {
    fileprivate func compare(_ other: CKRecord, by key: String) -> ComparisonResult {
        switch (value(forKey: key), other.value(forKey: key)) {
        case (let left as NSNumber, let right as NSNumber): left.compare(right)
        case (let left as String, let right as String):
            left < right ? .orderedAscending : left == right ? .orderedSame : .orderedDescending
        case (let left as Date, let right as Date): left.compare(right)
        case (nil, nil): .orderedSame
        case (nil, _): .orderedAscending
        case (_, nil): .orderedDescending
        default: .orderedSame
        }
    }
}
#endif

extension NSSortDescriptor {
    /// Creates the sort descriptor of a sort key.
    static func from(_ sort: Sort) -> NSSortDescriptor {
        if let origin = sort.origin {
            return CKLocationSortDescriptor(
                key: sort.key, relativeLocation: CLLocation(origin), ascending: sort.ascending)
        }
        return NSSortDescriptor(key: sort.key, ascending: sort.ascending)
    }
}

extension Sort {
    /// Reads the key of a sort descriptor.
    ///
    /// - Throws: ``CKError/Code/invalidArguments`` for one that has no key.
    init(_ descriptor: NSSortDescriptor) throws {
        if let location = descriptor as? CKLocationSortDescriptor {
            self.init(
                location.locationKey, distanceFrom: Location(location.relativeLocation), ascending: descriptor.ascending
            )
            return
        }
        guard let key = descriptor.readKey, !key.isEmpty else {
            throw CKError(.invalidArguments, "A query is sorted by keys. Use NSSortDescriptor(key:ascending:).")
        }
        self.init(key, ascending: descriptor.ascending)
    }
}

extension NSSortDescriptor {
    fileprivate var readKey: String? {
        #if canImport(ObjectiveC)
        return key
        #else
        let probe = PredicateProbe()
        _ = compare(probe, to: PredicateProbe())
        return probe.sortKey
        #endif
    }
}

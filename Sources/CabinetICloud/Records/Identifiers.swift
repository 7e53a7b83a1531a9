import Cabinet
import CloudKit
import CoreLocation
import Foundation

extension RecordZone.ID {
    /// Reads a zone's ID; the user's own zones have CloudKit's placeholder, which is Cabinet's too.
    init(_ id: CKRecordZone.ID, user: String?) {
        self.init(
            zoneName: id.zoneName, ownerName: id.ownerName == user ? CKCurrentUserDefaultName : id.ownerName)
    }

    /// CloudKit's ID of the zone.
    func object(user: String?) -> CKRecordZone.ID {
        CKRecordZone.ID(zoneName: zoneName, ownerName: ownerName == user ? CKCurrentUserDefaultName : ownerName)
    }
}

extension RecordID {
    /// Reads a record's ID.
    init(_ id: CKRecord.ID, user: String?) {
        self.init(recordName: id.recordName, zoneID: RecordZone.ID(id.zoneID, user: user))
    }

    /// The error of a name that no record can have.
    var nameViolation: CabinetError? {
        if zoneID.zoneName.isEmpty || zoneID.ownerName.isEmpty {
            return CabinetError(.invalidArguments, "The name or the owner of the zone is empty.", recordID: self)
        }
        return NameRule.targetRecordName.violation(in: recordName, recordID: self)
    }

    /// CloudKit's ID of the record.
    func object(user: String?) -> CKRecord.ID {
        CKRecord.ID(recordName: recordName, zoneID: zoneID.object(user: user))
    }
}

extension Location {
    /// Reads a location.
    init(_ location: CLLocation) {
        self.init(
            coreLocation: (
                location.coordinate.latitude, location.coordinate.longitude, location.altitude,
                location.horizontalAccuracy, location.verticalAccuracy, location.course, location.speed,
                location.timestamp
            ))
    }

    /// CoreLocation's location, which always has a time.
    var object: CLLocation {
        let numbers = coreLocation
        return CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: numbers.latitude, longitude: numbers.longitude),
            altitude: numbers.altitude, horizontalAccuracy: numbers.horizontalAccuracy,
            verticalAccuracy: numbers.verticalAccuracy, course: numbers.course, speed: numbers.speed,
            timestamp: numbers.timestamp)
    }
}

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
    ///
    /// CoreLocation's negative values stand for unknown ones. An altitude of unknown accuracy has the accuracy 0.
    init(_ location: CLLocation) {
        func known(_ value: Double) -> Double? { value < 0 ? nil : value }
        self.init(
            latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
            altitude: location.verticalAccuracy < 0 ? nil : location.altitude,
            horizontalAccuracy: known(location.horizontalAccuracy),
            verticalAccuracy: location.verticalAccuracy > 0 ? location.verticalAccuracy : nil,
            course: known(location.course), speed: known(location.speed),
            timestamp: location.timestamp == Self.unknownTime ? nil : location.timestamp)
    }

    /// CoreLocation's location, which always has a time.
    var object: CLLocation {
        CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: altitude ?? 0,
            horizontalAccuracy: horizontalAccuracy ?? -1,
            verticalAccuracy: verticalAccuracy ?? (altitude == nil ? -1 : 0),
            course: course ?? -1, speed: speed ?? -1, timestamp: timestamp ?? Self.unknownTime)
    }

    private static let unknownTime = Date(timeIntervalSinceReferenceDate: 0)
}

import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetCloudKit
@testable import CabinetConformance
@testable import CabinetICloud

@Suite("The predicate of a filter")
struct PredicateTests {
    @Test("says the same, or the filter is refused", arguments: 0..<4)
    func agreement(_ seed: UInt64) throws {
        var random = RandomPlans(random: SeededGenerator(seed: seed))
        let records = random.records(40).map { Record($0) }
        var (said, matched) = (0, 0)
        for _ in 0..<600 {
            let filter = random.filter(depth: random.chance(70) ? 0 : 2)
            let predicate: NSPredicate
            do throws(CabinetError) {
                predicate = try QueryWriter(user: "_anna").predicate(filter)
            } catch {
                #expect(error.message.hasPrefix(CloudKitGap.query.rawValue))
                continue
            }
            said += 1
            let read = try Filter(predicate: predicate)
            for record in records {
                let expected = try? filter.matches(record)
                let found = try? read.matches(record)
                #expect(found == expected, "\(filter) became \(read), for \(record)")
                if expected == true { matched += 1 }
            }
        }
        #expect(said > 20)
        #expect(matched > 50)
    }

    @Test("has objects as arguments, in all forms that CloudKit takes")
    func forms() throws {
        let reference = Reference(recordID: RecordID(recordName: "a"), action: .none)
        let place = Location(latitude: 1, longitude: 2, timestamp: Date(timeIntervalSinceReferenceDate: 5))
        let filters: [Filter] = [
            try Filter("name == %@ AND number BETWEEN {1, 3}", "it's"),
            try Filter("list == %@", reference), try Filter("number IN {1.0, 2.5}"),
            try Filter("ANY tags == 'x' AND NOT name BEGINSWITH 'y'"), try Filter("ANY tags IN {'x', 'y'}"),
            try Filter("SELF CONTAINS 'milk bread'"),
            try Filter("distanceToLocation:fromLocation:(place, %@) < 1000", place),
            try Filter("creationDate > %@", Date(timeIntervalSinceReferenceDate: 1.5)), try Filter("TRUEPREDICATE"),
        ]
        for filter in filters {
            let read = try Filter(predicate: try QueryWriter(user: "_anna").predicate(filter))
            #expect(read == filter)
        }
    }

    @Test("of a distance with the farthest first does not exist")
    func distance() {
        let query = Query(
            recordType: "Items",
            sortedBy: [Sort("place", distanceFrom: Location(latitude: 1, longitude: 2), ascending: false)])
        #expect(throws: CabinetError.self) { try QueryWriter(user: nil).query(query) }
    }
}

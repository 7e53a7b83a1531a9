import Cabinet
import Foundation
import Testing

@testable import CabinetWire

@Suite("A response of CloudKit Web Services has no more than a page")
struct ResponseBoundTests {
    @Test("A request names each zone once, also under its owner's name")
    func repeatedZones() async throws {
        let store = try CloudKitStore()
        let zone = #"{"zoneID":{"zoneName":"_defaultZone"}}"#
        let named = #"{"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ann"}}"#
        for (zones, status) in [([zone], 200), ([zone, zone], 400), ([zone, named], 400)] {
            let answer = try await store.post(.changesZone, #"{"zones":[\#(zones.joined(separator: ","))]}"#)
            #expect(answer.status == status)
            #expect((answer.json.text("serverErrorCode") == "BAD_REQUEST") == (status == 400))
        }
    }

    @Test("Zones share a page of changes, and each one proceeds until it has no more")
    func severalZones() async throws {
        let store = try CloudKitStore()
        let counts = [150, 120, 30]
        for (number, count) in counts.enumerated() {
            let zone = try await store.container.privateDatabase.save(RecordZone(zoneName: "Z\(number)"))
            let records = (0..<count).map {
                Record(recordType: "Items", recordID: RecordID(recordName: "\($0)", zoneID: zone.zoneID))
            }
            _ = try await store.container.privateDatabase.modifyRecords(saving: records, deleting: [])
        }
        var tokens = counts.map { _ in "" }
        var (pages, isDone): ([[Int]], Bool) = ([], false)
        while !isDone, pages.count < 10 {
            let zones = tokens.enumerated().map { #"{"zoneID":{"zoneName":"Z\#($0)"},"syncToken":"\#($1)"}"# }
            let answer = try await store.post(.changesZone, #"{"zones":[\#(zones.joined(separator: ","))]}"#)
            let found = answer.json.items("zones")
            pages.append(found.map { $0.items("records").count })
            tokens = found.compactMap { $0.text("syncToken") }
            isDone = try found.allSatisfy { try $0["moreComing"]?.bool() == false }
        }
        #expect(pages == [[150, 50, 1], [0, 70, 29]])
    }

    @Test("The shares that records need do not count toward the limit of a request")
    func limitedService() async throws {
        let store = try CloudKitStore(limits: Limits(itemsPerRequest: 50))
        let database = store.container.privateDatabase
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        for part in 0..<4 {
            let roots = (0..<20).map {
                Record(recordType: "Roots", recordID: RecordID(recordName: "\(part)-\($0)", zoneID: zone.zoneID))
            }
            let shares = roots.map { Share(rootRecord: $0).record }
            _ = try await database.modifyRecords(saving: roots + shares, deleting: [])
        }
        let zoneID = #""zoneID":{"zoneName":"Z"}"#
        let query = try await store.post(.recordsQuery, #"{"query":{"recordType":"Roots"},\#(zoneID)}"#)
        #expect(query.json.items("records").filter { $0.text("shortGUID") != nil }.count == 80)
        for keys in ["", #","desiredKeys":[]"#] {
            let changes = try await store.post(.changesZone, #"{"zones":[{\#(zoneID)\#(keys)}]}"#)
            let records = changes.json.items("zones").flatMap { $0.items("records") }
            #expect(records.filter { $0.text("shortGUID") != nil }.count == 160, "\(changes.status)")
            #expect(records.filter { $0["owner"] != nil }.count == 80)
        }
    }
}

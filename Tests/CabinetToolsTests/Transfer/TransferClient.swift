import Cabinet
import CabinetTesting
import Foundation

/// A client that makes up changes of a database: saves, deletions, moves of references, and zones that come and go.
struct TransferClient {
    private let database: Database
    private(set) var random: SeededGenerator

    init(_ database: Database, seed: UInt64) {
        self.database = database
        random = SeededGenerator(seed: seed)
    }

    private static let names = (0..<12).map { "r\($0)" }
    private static let zones = [
        RecordZone.default().zoneID, RecordZone.ID(zoneName: "A"), RecordZone.ID(zoneName: "B"),
    ]

    /// Makes one change; one that the database refuses changes nothing.
    mutating func change() async {
        let zone = Self.zones[random.number(below: 10) < 6 ? 0 : random.number(below: 3)]
        let id = RecordID(recordName: Self.names[random.number(below: Self.names.count)], zoneID: zone)
        switch random.number(below: 20) {
        case 0..<4: _ = try? await database.deleteRecord(withID: id)
        case 4 where zone != .default: _ = try? await database.deleteRecordZone(withID: zone)
        case 4, 5: _ = try? await database.save(RecordZone(zoneID: Self.zones[1 + random.number(below: 2)]))
        default: await save(id)
        }
    }

    private mutating func save(_ id: RecordID) async {
        let number = random.number(below: 1000)
        // Records of this type refer to nothing, and nothing deletes them with others.
        if random.number(below: 4) == 0 {
            var plain = Record(
                recordType: "Plain", recordID: RecordID(recordName: "p\(number % 10)", zoneID: id.zoneID))
            plain["number"] = number
            _ = try? await database.save(plain, savePolicy: .allKeys)
            return
        }
        var record = (try? await database.record(for: id)) ?? Record(recordType: "Node", recordID: id)
        record["number"] = number
        let target = RecordID(recordName: Self.names[random.number(below: Self.names.count)], zoneID: id.zoneID)
        switch random.number(below: 7) {
        case 0: record["photo"] = Asset(data: Data("photo \(number % 5)".utf8))
        case 1: record["photo"] = nil
        case 2: record.setParent(random.number(below: 2) == 0 ? nil : target)
        case 3: record["links"] = [Reference(recordID: target, action: .nullify)]
        case 4: record["links"] = nil
        default:
            let action = Reference.Action.allCases[random.number(below: Reference.Action.allCases.count)]
            let key = "\(action)"
            record[key] = random.number(below: 3) == 0 ? nil : Reference(recordID: target, action: action)
        }
        _ = try? await database.save(record)
    }
}

extension SeededGenerator {
    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

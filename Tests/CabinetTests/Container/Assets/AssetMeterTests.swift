import Foundation
import Synchronization
import Testing

@testable import Cabinet

@Suite("The meter of uploads")
struct AssetMeterTests {
    @Test("reports progress from 0 to 1 for any sizes of assets", arguments: [Int64.max, .min, -1, 0])
    func sizes(size: Int64) {
        let reports = Mutex<[AssetProgress]>([])
        var meter = AssetMeter { progress in reports.withLock { $0.append(progress) } }
        for name in ["a", "b"] {
            let place = AssetPlace(
                recordID: RecordID(recordName: name), key: "file", asset: Asset(data: Data(name.utf8)))
            meter.skip(place, size)
        }
        #expect(reports.withLock { $0.count } == 2)
        #expect(reports.withLock { $0.allSatisfy { (0...1).contains($0.fractionCompleted) } })
    }
}

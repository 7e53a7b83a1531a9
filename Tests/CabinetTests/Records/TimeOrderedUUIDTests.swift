import Foundation
import Testing

@testable import Cabinet

@Suite("Time-ordered UUIDs")
struct TimeOrderedUUIDTests {
    @Test("Version and variant are those of RFC 9562", arguments: [0, .max, 0x1234_5678_9ABC_DEF0] as [UInt64])
    func bits(random: UInt64) {
        let uuid = TimeOrderedUUID.make(at: Date(timeIntervalSince1970: 1_700_000_000.5), random: random).uuid
        #expect(uuid.6 >> 4 == 7)
        #expect(uuid.8 >> 6 == 0b10)
    }

    @Test("The first 48 bits are the milliseconds since 1970, the next 12 their fraction")
    func time() {
        // The example of RFC 9562, appendix A.6, has the same time.
        let date = Date(timeIntervalSince1970: 1_645_557_742)
        let text = TimeOrderedUUID.make(at: date, random: 0).uuidString
        #expect(text == "017F22E2-79B0-7000-8000-000000000000")
        let half = TimeOrderedUUID.make(at: Date(timeIntervalSince1970: 0.001_5), random: 0).uuidString
        #expect(half == "00000000-0001-7800-8000-000000000000")
    }

    @Test("Later UUIDs come later in the order of their text")
    func order() {
        let texts = (0..<1000).map { index in
            TimeOrderedUUID.make(
                at: Date(timeIntervalSince1970: 1_700_000_000 + Double(index) * 0.000_5),
                random: .random(in: .min ... .max)
            )
            .uuidString
        }
        #expect(texts == texts.sorted())
        let names = (0..<2).map { _ -> String in
            let name = RecordID.uniqueRecordName()
            Thread.sleep(forTimeInterval: 0.002)
            return name
        }
        #expect(names[0] < names[1])
    }

    @Test(
        "Dates out of range make UUIDs too",
        arguments: [
            Date.distantPast, Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: 1e300),
            Date(timeIntervalSinceReferenceDate: .infinity),
        ])
    func hostileDates(_ date: Date) {
        #expect(TimeOrderedUUID.make(at: date, random: 0).uuid.6 >> 4 == 7)
    }

    @Test("No name comes twice")
    func uniqueness() {
        #expect(Set((0..<10_000).map { _ in RecordID.uniqueRecordName() }).count == 10_000)
    }
}

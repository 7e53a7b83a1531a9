import Cabinet
import CabinetTools
import Foundation
import Testing

@Suite("Dates as a person types them")
struct TypedDateTests {
    @Test(
        "A date without a time zone is read in the given one, and another one is not changed",
        arguments: [
            ("2026-11-25", "2026-11-24T23:00:00.000Z", "2026-11-25T00:00:00.000Z"),
            ("2026-11-25 18:00", "2026-11-25T17:00:00.000Z", "2026-11-25T18:00:00.000Z"),
            ("2026-11-25T18:00:00Z", "2026-11-25T18:00:00.000Z", "2026-11-25T18:00:00.000Z"),
            // The day has begun in Rome.
            ("today", "2026-11-25T23:00:00.000Z", "2026-11-25T00:00:00.000Z"),
        ])
    func timeZones(text: String, inRome: String, inUTC: String) throws {
        let now = try Date("2026-11-25T23:30:00Z", strategy: .iso8601)
        let rome = try #require(TimeZone(identifier: "Europe/Rome"))
        for (zone, expected) in [(rome, inRome), (.gmt, inUTC)] {
            let value = try JSONValue(typed: text, of: "found", as: .timestamp, now: now, timeZone: zone)
            #expect(value == ["timestamp": .string(expected)])
            let list = try JSONValue(
                typed: text, of: "found", as: .list(of: .timestamp), now: now, timeZone: zone)
            #expect(list == .array([value]))
        }
    }
}

import Cabinet
import Foundation
import Testing

@Suite("Distances between locations")
struct LocationTests {
    /// Half of the Earth's circumference.
    private static let half = Double.pi * 6_371_008.8

    private func distance(_ left: (Double, Double), _ right: (Double, Double)) -> Double {
        let left = Location(latitude: left.0, longitude: left.1)
        let right = Location(latitude: right.0, longitude: right.1)
        #expect(left.distance(to: right).bitPattern == right.distance(to: left).bitPattern)
        return left.distance(to: right)
    }

    private func isClose(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 0.01 }

    @Test("Known distances")
    func known() {
        #expect(distance((52.5, 13.4), (52.5, 13.4)) == 0)
        #expect(isClose(distance((0, 0), (0, 1)), Self.half / 180))
        #expect(isClose(distance((0, 0), (1, 0)), Self.half / 180))
        // Berlin to Paris.
        #expect(abs(distance((52.52, 13.405), (48.8566, 2.3522)) - 877_500) < 1_000)
    }

    @Test("The antimeridian and the poles are not borders")
    func borders() {
        #expect(isClose(distance((0, 179.5), (0, -179.5)), Self.half / 180))
        #expect(distance((10, 180), (10, -180)) < 0.01)
        #expect(distance((90, 0), (90, 123)) < 0.01)
        #expect(isClose(distance((89, 0), (89, 180)), Self.half / 90))
        #expect(isClose(distance((90, 0), (-90, 50)), Self.half))
        #expect(isClose(distance((0, 0), (0, 180)), Self.half))
        #expect(distance((45, -90), (-45, 90)).isFinite)
    }

    @Test("No number gives no number")
    func notNumbers() {
        let nowhere = Location(latitude: .nan, longitude: .infinity)
        #expect(nowhere.distance(to: Location(latitude: 0, longitude: 0)).isNaN)
    }
}

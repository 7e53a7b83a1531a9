import Testing

@testable import CabinetRemote

@Suite("Repetitions")
struct RetryTests {
    @Test(
        "wait at least as long as the server asks, if it asks for a time",
        arguments: [nil, 0, -1, .nan, -.infinity, 3] as [Double?])
    func delay(_ seconds: Double?) throws {
        var policy = RetryPolicy(limit: .seconds(60))
        let found = policy.nextDelay(atLeast: seconds)
        let delay = try #require(found)
        #expect(delay >= .seconds(seconds == 3 ? 3 : 0) && delay < .seconds(4))
    }

    @Test("end if the server asks for more time than there is", arguments: [60, 1e300, .infinity] as [Double])
    func end(_ seconds: Double) {
        var policy = RetryPolicy(limit: .seconds(60))
        let delay = policy.nextDelay(atLeast: seconds)
        #expect(delay == nil)
    }
}

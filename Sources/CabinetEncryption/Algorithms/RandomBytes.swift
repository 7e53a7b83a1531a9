import Foundation

extension Data {
    /// Creates unpredictable bytes, from the system's generator.
    init(randomCount count: Int) {
        var generator = SystemRandomNumberGenerator()
        self.init((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}

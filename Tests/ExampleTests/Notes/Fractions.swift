import Synchronization

/// The reported fractions of some work.
final class Fractions: Sendable {
    private let told = Mutex<[Double]>([])

    func add(_ fraction: Double) {
        told.withLock { $0.append(fraction) }
    }

    var all: [Double] { told.withLock { $0 } }
}

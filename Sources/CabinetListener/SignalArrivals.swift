import Dispatch
import Foundation

/// The signals of the operating system that a program handles itself.
package struct SignalArrivals {
    /// The numbers of the signals that have arrived, in their order.
    package let numbers: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// The number of signals that are remembered until the program handles them.
    private static let maximumCount = 64

    /// Begins to receive signals.
    ///
    /// Until this returns, a signal has its usual effect. Afterwards none is lost.
    ///
    /// - Parameter numbers: The numbers of the signals.
    package init(of numbers: [Int32]) async {
        let (arrivals, arrival) = AsyncStream.makeStream(
            of: Int32.self, bufferingPolicy: .bufferingNewest(Self.maximumCount))
        self.numbers = arrivals
        var sources: [any DispatchSourceSignal] = []
        for number in numbers { sources.append(await Self.source(of: number) { arrival.yield(number) }) }
        self.sources = sources
    }

    /// Gives the signals their usual effects again.
    package func end() {
        for source in sources { source.cancel() }
    }

    private static func source(
        of number: Int32, _ handler: @escaping @Sendable () -> Void
    ) async -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: handler)
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler { continuation.resume() }
            source.activate()
        }
        #if canImport(Darwin)
        // Dispatch only observes the signal here. On Linux it has a handler, which ignoring the signal would remove.
        signal(number, SIG_IGN)
        #endif
        return source
    }
}

public import Foundation

#if !canImport(ObjectiveC)
/// The number of nanoseconds in a second, which Dispatch defines on Apple's platforms alone.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// The number of nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// The number of microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
/// The number of nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1000

extension NotificationCenter {
    /// Returns the notifications of a name, from the moment at which iteration begins.
    ///
    /// Foundation has this method on Apple's platforms alone.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The object that posts them, or `nil` for any.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    // Unchecked, and safe: the center may be used from all threads, and the object is compared alone.
    /// A sequence of the notifications of a center.
    public struct Notifications: AsyncSequence, @unchecked Sendable {
        let center: NotificationCenter
        let name: Notification.Name
        let object: AnyObject?

        /// Begins to observe.
        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream.makeStream(of: Delivery.self)
            let observer = Observer(
                center: center,
                token: center.addObserver(forName: name, object: object, queue: nil) {
                    continuation.yield(Delivery(notification: $0))
                })
            return Iterator(stream: stream.makeAsyncIterator(), observer: observer)
        }

        /// An iterator that waits for notifications.
        public struct Iterator: AsyncIteratorProtocol {
            var stream: AsyncStream<Delivery>.Iterator
            let observer: Observer

            /// Returns the next notification; `nil` if the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await stream.next(isolation: actor)?.notification
            }
        }
    }
}

/// A notification on its way to the one task that iterates.
// Unchecked, and as safe as Foundation's own sequence, which passes notifications to other tasks too.
struct Delivery: @unchecked Sendable {
    let notification: Notification
}

/// A registration that stops observing when it is deallocated.
final class Observer {
    private let center: NotificationCenter
    private let token: any NSObjectProtocol

    init(center: NotificationCenter, token: any NSObjectProtocol) {
        self.center = center
        self.token = token
    }

    deinit { center.removeObserver(token) }
}
#endif

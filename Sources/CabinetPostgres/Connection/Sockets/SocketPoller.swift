import CPostgreSQL
import Foundation

#if canImport(Darwin)

/// The system's means to wait for many sockets.
struct SocketPoller: Sendable {
    private let queue = kqueue()
    private static let wakeID: UInt = 1

    init() {
        var change = kevent(
            ident: Self.wakeID, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD | EV_CLEAR), fflags: 0, data: 0,
            udata: nil)
        _ = kevent(queue, &change, 1, nil, 0, nil)
    }

    /// Reports a socket once, as soon as it can be read.
    ///
    /// - Returns: Whether the socket is valid.
    func arm(_ descriptor: Int32, toWrite: Bool) -> Bool {
        let filters = toWrite ? [EVFILT_READ, EVFILT_WRITE] : [EVFILT_READ]
        var changes = filters.map { filter in
            kevent(
                ident: UInt(descriptor), filter: Int16(filter), flags: UInt16(EV_ADD | EV_ONESHOT), fflags: 0, data: 0,
                udata: nil)
        }
        return kevent(queue, &changes, Int32(changes.count), nil, 0, nil) == 0
    }

    /// Ends the current wait.
    func wake() {
        var change = kevent(
            ident: Self.wakeID, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0, udata: nil)
        _ = kevent(queue, &change, 1, nil, 0, nil)
    }

    /// Waits for sockets, and returns those that can be used.
    func wait(atMost limit: Duration?) -> [Int32] {
        var events = [kevent](repeating: kevent(), count: 64)
        var time = timespec()
        if let (seconds, attoseconds) = limit?.components {
            time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        }
        let count = withUnsafePointer(to: &time) {
            kevent(queue, nil, 0, &events, Int32(events.count), limit == nil ? nil : $0)
        }
        return events.prefix(Int(max(count, 0))).filter { $0.filter != EVFILT_USER }.map { Int32($0.ident) }
    }
}

#else

/// The system's means to wait for many sockets.
struct SocketPoller: Sendable {
    private let queue = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let wakeUp: (read: Int32, write: Int32)

    private static let readable: UInt32 = 0x001
    private static let writable: UInt32 = 0x004
    private static let once: UInt32 = 1 << 30

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wakeUp = (ends[0], ends[1])
        var event = epoll_event(events: Self.readable, data: epoll_data_t(fd: wakeUp.read))
        _ = epoll_ctl(queue, EPOLL_CTL_ADD, wakeUp.read, &event)
    }

    /// Reports a socket once, as soon as it can be read.
    ///
    /// - Returns: Whether the socket is valid.
    func arm(_ descriptor: Int32, toWrite: Bool) -> Bool {
        let events = Self.readable | Self.once | (toWrite ? Self.writable : 0)
        var event = epoll_event(events: events, data: epoll_data_t(fd: descriptor))
        // The system forgets a socket when it is closed.
        if epoll_ctl(queue, EPOLL_CTL_MOD, descriptor, &event) == 0 { return true }
        return errno == ENOENT && epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Ends the current wait.
    func wake() {
        var byte: UInt8 = 0
        _ = write(wakeUp.write, &byte, 1)
    }

    /// Waits for sockets, and returns those that can be used.
    func wait(atMost limit: Duration?) -> [Int32] {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        // Rounded up, so that a deadline has passed afterwards.
        let milliseconds = limit.map { Int32(clamping: $0.milliseconds + 1) } ?? -1
        let count = epoll_wait(queue, &events, Int32(events.count), milliseconds)
        return events.prefix(Int(max(count, 0))).compactMap { event in
            guard event.data.fd == wakeUp.read else { return event.data.fd }
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = read(wakeUp.read, &bytes, bytes.count)
            return nil
        }
    }
}

#endif

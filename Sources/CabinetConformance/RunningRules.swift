import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The rules that are running, which are written to standard error if the process traps.
enum RunningRules {
    private static let slotCount = 64
    private static let slotSize = 256

    // Allocated once and never freed. Only the holder of a slot writes to it, its last byte stays 0, and the signal handler only reads.
    nonisolated(unsafe) private static let names: UnsafeMutablePointer<UInt8> = {
        let names = UnsafeMutablePointer<UInt8>.allocate(capacity: slotCount * slotSize)
        names.initialize(repeating: 0, count: slotCount * slotSize)
        return names
    }()

    private static let freeSlots = Mutex(Array(0..<slotCount))

    /// Records that a rule runs.
    ///
    /// - Returns: The rule's slot, or `nil` if none is free.
    static func begin(_ name: String) -> Int? {
        _ = isInstalled
        guard let slot = freeSlots.withLock({ $0.popLast() }) else { return nil }
        let start = names + slot * slotSize
        var end = 0
        for byte in name.utf8.prefix(slotSize - 2) {
            start[end] = byte
            end += 1
        }
        start[end] = UInt8(ascii: "\n")
        return slot
    }

    /// Records that a rule has ended.
    static func end(_ slot: Int?) {
        guard let slot else { return }
        (names + slot * slotSize).update(repeating: 0, count: slotSize)
        freeSlots.withLock { $0.append(slot) }
    }

    #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT]

    // Written once, before the handler that reads it is installed.
    nonisolated(unsafe) private static let previous: UnsafeMutablePointer<sigaction> = {
        let previous = UnsafeMutablePointer<sigaction>.allocate(capacity: 64)
        previous.initialize(repeating: sigaction(), count: 64)
        return previous
    }()

    /// Installs the handler.
    ///
    /// The previous handlers run afterwards.
    private static let isInstalled: Bool = {
        _ = names
        for signal in signals { sigaction(signal, nil, previous + Int(signal)) }
        var action = sigaction()
        #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = { RunningRules.report($0) }
        #elseif canImport(Musl)
        action.__sa_handler.sa_handler = { RunningRules.report($0) }
        #else
        action.__sigaction_handler.sa_handler = { RunningRules.report($0) }
        #endif
        for signal in signals { sigaction(signal, &action, nil) }
        return true
    }()

    /// Writes the names of the running rules.
    ///
    /// Runs in a signal handler: it takes no lock and allocates no memory.
    private static func report(_ signal: Int32) {
        let header: StaticString = "CabinetConformance: the process traps. These rules are running:\n"
        write(2, header.utf8Start, header.utf8CodeUnitCount)
        var slot = 0
        while slot < slotCount {
            let name = UnsafeRawPointer(names + slot * slotSize)
            let length = strlen(name.assumingMemoryBound(to: CChar.self))
            if length > 0 { write(2, name, length) }
            slot += 1
        }
        // The instruction that trapped runs again, and traps for the previous handler.
        sigaction(signal, previous + Int(signal), nil)
        if signal == SIGABRT { raise(signal) }
    }
    #else
    private static let isInstalled = false
    #endif
}

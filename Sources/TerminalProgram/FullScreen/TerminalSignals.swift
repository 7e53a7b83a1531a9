#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps the terminal usable if a signal ends or stops the program, and reports a new size.
enum TerminalSignals {
    // Unchecked, and safe: written by `install` alone, before the handlers that read it are installed.
    private nonisolated(unsafe) static var wakeDescriptor: Int32 = -1

    // Unchecked, and safe: `install` and `uninstall` alone use them, and the terminal shows one full screen or prompt at a
    // time.
    private nonisolated(unsafe) static var earlierActions: [(signal: Int32, action: sigaction)] = []
    private nonisolated(unsafe) static var leavesAtExit = false

    /// Installs the handlers.
    ///
    /// - Parameters:
    ///   - descriptor: The end of a pipe that receives a byte whenever the screen must be drawn again; `nil` for none.
    ///   - isEndedByInterrupt: Whether Ctrl-C ends the process. Otherwise the program handles the signal itself.
    static func install(wakingUp descriptor: Int32?, isEndedByInterrupt: Bool) {
        wakeDescriptor = descriptor ?? -1
        if !leavesAtExit { atexit { TerminalMode.leave() } }
        leavesAtExit = true
        handle([SIGWINCH]) { _ in TerminalSignals.keepingErrno { TerminalSignals.wake() } }
        handle([SIGCONT]) { _ in TerminalSignals.keepingErrno { TerminalSignals.resume() } }
        handle([SIGTSTP]) { _ in TerminalSignals.keepingErrno { TerminalSignals.stop() } }
        // The program is ended by a person or another program, or crashes: in each case the terminal is returned to the
        // shell.
        let deadly = [SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]
        handle(isEndedByInterrupt ? [SIGINT] + deadly : deadly) { TerminalSignals.die(by: $0) }
    }

    /// Restores the actions before `install`.
    static func uninstall() {
        for (number, action) in earlierActions {
            var action = action
            sigaction(number, &action, nil)
        }
        earlierActions = []
    }

    private static func handle(
        _ signals: [Int32], keepsEarlier: Bool = true, with handler: @escaping @convention(c) (Int32) -> Void
    ) {
        for number in signals {
            var action = sigaction()
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
            #else
            action.__sigaction_handler.sa_handler = handler
            #endif
            action.sa_flags = Int32(SA_RESTART)
            var earlier = sigaction()
            sigaction(number, &action, &earlier)
            if keepsEarlier { earlierActions.append((number, earlier)) }
        }
    }

    /// Performs the work of a handler.
    ///
    /// The interrupted function may be about to read `errno`.
    private static func keepingErrno(_ work: () -> Void) {
        let number = errno
        work()
        errno = number
    }

    /// Restores the terminal, and performs the signal's default action.
    private static func die(by number: Int32) {
        TerminalMode.leave()
        deliver(number)
    }

    /// Restores the terminal, and stops until the shell continues the program.
    private static func stop() {
        TerminalMode.leave()
        deliver(SIGTSTP)
        // The system does not stop a program without a shell that could continue it. Then the screen is restored at
        // once.
        handle([SIGTSTP], keepsEarlier: false) { _ in TerminalSignals.keepingErrno { TerminalSignals.stop() } }
        resume()
    }

    private static func resume() {
        TerminalMode.enter()
        wake()
    }

    /// Sends a caught signal to the program again, this time without a handler.
    private static func deliver(_ number: Int32) {
        signal(number, SIG_DFL)
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, number)
        kill(getpid(), number)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
    }

    private static func wake() {
        var byte: UInt8 = 0
        _ = write(wakeDescriptor, &byte, 1)
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Keeps the terminal usable if a signal ends or stops the program, and reports a new size.
enum TerminalSignals {
    // Unchecked, and safe: written once by `install(wakingUp:)`, before the handlers that read it are installed.
    private nonisolated(unsafe) static var wakeDescriptor: Int32 = -1

    /// Installs the handlers.
    ///
    /// - Parameter descriptor: The end of a pipe that receives a byte whenever the screen must be drawn again.
    static func install(wakingUp descriptor: Int32) {
        wakeDescriptor = descriptor
        atexit { TerminalMode.leave() }
        handle([SIGWINCH]) { _ in TerminalSignals.keepingErrno { TerminalSignals.wake() } }
        handle([SIGCONT]) { _ in TerminalSignals.keepingErrno { TerminalSignals.resume() } }
        handle([SIGTSTP]) { _ in TerminalSignals.keepingErrno { TerminalSignals.stop() } }
        // The program is ended by a person or another program, or crashes: in each case the terminal is returned to the
        // shell.
        let deadly = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]
        handle(deadly) { TerminalSignals.die(by: $0) }
    }

    private static func handle(_ signals: [Int32], with handler: @escaping @convention(c) (Int32) -> Void) {
        for number in signals {
            var action = sigaction()
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
            #else
            action.__sigaction_handler.sa_handler = handler
            #endif
            action.sa_flags = Int32(SA_RESTART)
            sigaction(number, &action, nil)
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
        handle([SIGTSTP]) { _ in TerminalSignals.keepingErrno { TerminalSignals.stop() } }
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

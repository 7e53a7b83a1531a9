import Cabinet
import Foundation
import TerminalProgram

/// The dashboard, in a terminal.
@main
struct Main {
    static func main() async {
        StandardStreams.reserve()
        // A file that grows beyond the limit of the process is an error, and does not end the program within a save.
        signal(SIGXFSZ, SIG_IGN)
        let interruption = Interruption.shared
        // Files are read and written in many functions, which blocks. All of them run on one dedicated thread.
        let work = Task(executorPreference: BlockingExecutor(label: "cabinet")) { await Program.cabinet.run() }
        let signals = interruption.observe { work.cancel() }
        await work.value
        for signal in signals { signal.cancel() }
        interruption.exitIfInterrupted()
    }
}

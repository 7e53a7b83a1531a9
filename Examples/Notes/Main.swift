import Cabinet
import TerminalProgram

/// The notes: screens for a person, commands for a script, one store for both.
@main
struct Main {
    static func main() async {
        // Files are read and written in many places, which blocks: all of it runs on a thread of its own.
        await withTaskExecutorPreference(BlockingExecutor(label: "notes")) {
            await Program.notes.run()
        }
    }
}

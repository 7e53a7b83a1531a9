import Cabinet
import TerminalProgram

/// The notes app: screens for a person, commands for a script, one store for both.
@main
struct Main {
    static func main() async {
        // Files are read and written in many functions, which blocks. All of them run on one dedicated thread.
        await withTaskExecutorPreference(BlockingExecutor(label: "notes")) {
            await Program.notes.run()
        }
    }
}

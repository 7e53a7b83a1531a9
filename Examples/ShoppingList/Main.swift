import TerminalProgram

/// The shopping list app: screens for a person, commands for a script, one store for both.
@main
struct Main {
    static func main() async {
        await Program.shoppingList.run()
    }
}

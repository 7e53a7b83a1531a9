import Foundation

// Cabinet beside plain C: the same work in one run, and the ratios. `Options.usage` describes the options.

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--worker", let order = arguments.last {
        try await Worker.serve(JSONDecoder().decode(Worker.Order.self, from: Data(order.utf8)))
    } else if arguments.first == "--saves", let load = arguments.last {
        try await JSONDecoder().decode(SaveLoad.self, from: Data(load.utf8)).run()
    } else {
        try await Program(options: Options(arguments)).run()
    }
} catch {
    Log.note("\(error)")
    exit(1)
}

// The tutorial's shopping list, written for CloudKit. Without CABINET_STORE, the records stay in memory.

import CloudKit

let controller = ListsController()
var steps: [() -> Void] = []

func nextStep() {
    if steps.isEmpty { exit(0) }
    steps.removeFirst()()
}

func showItems(of list: CKRecord, adding items: [(name: String, number: Double)]) {
    let screen = ItemsController(list: list)
    var waiting = items
    screen.onUpdate = {
        if let item = waiting.popLast() {
            screen.save(name: item.name, number: item.number)
        } else {
            screen.onUpdate = nextStep
            screen.fetchItems()
        }
    }
    screen.onUpdate?()
}

controller.onUpdate = nextStep
steps = [
    { controller.save(name: "groceries") },
    { controller.save(name: "Books") },
    { controller.fetchLists() },
    { showItems(of: controller.lists[1], adding: [("Milk", 2), ("Bread", 1)]) },
    { controller.rename(controller.lists[1], to: "Groceries") },
    { controller.fetchLists() },
    { controller.delete(controller.lists[1]) },
    { controller.fetchLists() },
]
controller.viewDidLoad()
RunLoop.main.run()
